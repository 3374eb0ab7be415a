//! Memory objects: buffers, sub-buffers, images, shared memory, mapping, and the copy and fill engines.
//!
//! A device of this platform works on host memory, so a buffer *is* some host memory: its own, the application's
//! (`CL_MEM_USE_HOST_PTR`), an SVM allocation, or a part of another buffer. Mapping gives out its address, and a
//! migration does nothing but keep its place in the queue.

mod buffer;
mod commands;
mod device_address;
mod flags;
mod image;
mod map;
mod rect_commands;
mod region;
mod svm;
mod svm_commands;
mod transfer;
mod unified_svm;
mod usm;
mod usm_commands;

pub use buffer::{BufferRegion, Memory};
pub use commands::{copy, copying, fill, filling, map, migrate, read, unmap, write};
pub use device_address::DeviceAddresses;
pub use image::{
    Access, Geometry, HostBytes, HostSide, Image, ImageDesc, ImageRegion, ImageRequest, ImageType, MapRequest,
    copy_buffer_to_image, copy_image, copy_image_to_buffer, copying_buffer_to_image, copying_image,
    copying_image_to_buffer, fill_image, filling_image, image_requirements, map_image, read_image, supported_formats,
    write_image,
};
pub use oxicl_device::{HostSpan, Pattern};
pub use rect_commands::{RectArguments, copy_rect, copying_rect, read_rect, write_rect};
pub use svm::{Kind, SvmAllocation, SvmRegistry};
pub use svm_commands::{
    svm_copy, svm_copying, svm_fill, svm_filling, svm_free, svm_free_by, svm_map, svm_migrate, svm_unmap,
};
pub use unified_svm::{SVM_DEVICE, UnifiedSvm};
pub use usm::{Usm, UsmType};
pub use usm_commands::{usm_advise, usm_copy, usm_fill, usm_migrate};
