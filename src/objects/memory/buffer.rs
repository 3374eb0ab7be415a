//! Memory objects; buffers and sub-buffers.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use khronos_headers as cl;
use oxicl_caps::Feature;
use oxicl_device::{HostMemory, HostSpan};
use oxicl_schedule::Foreign;
use parking_lot::Mutex;

use super::flags;
use super::image::{Image, ImageRegion};
use super::map::{MapTable, Mapping};
use super::region::check_range;
use super::svm::SvmAllocation;
use crate::context::Context;
use crate::properties::PropertyList;
use crate::{ApiError, HandleCell, InfoValue};

const DEVICE_ADDRESS: u64 = cl::CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT;

/// The value of a property that is a `cl_bool`.
fn flag(value: u64) -> Result<bool, ApiError> {
    match u32::try_from(value) {
        Ok(cl::CL_FALSE) => Ok(false),
        Ok(cl::CL_TRUE) => Ok(true),
        _ => Err(ApiError::InvalidProperty),
    }
}

/// A memory object: a buffer, or an image. There are no pipes.
pub struct Memory {
    /// The application's handle.
    pub handle: HandleCell,
    /// The context that it was created in.
    pub context: Arc<Context>,
    flags: cl::cl_mem_flags,
    properties: PropertyList,
    span: HostSpan,
    /// As the application gave it, for queries.
    host_pointer: Option<usize>,
    storage: Storage,
    /// What makes it an image.
    image: Option<Image>,
    /// Of the outermost object: all mappings, those of sub-buffers and of images of it included. Empty in these.
    maps: MapTable,
    /// Called before the storage goes, last one first.
    destructors: Mutex<Vec<Foreign>>,
}

/// Who keeps the bytes valid.
pub(super) enum Storage {
    /// We do.
    Own(#[allow(dead_code, reason = "kept for its drop")] HostMemory),
    /// The application does.
    Application,
    /// The application gave a pointer into shared memory.
    Svm(#[allow(dead_code, reason = "kept alive")] Arc<SvmAllocation>),
    /// Another memory object does; the part starts at the offset in bytes.
    Part(Arc<Memory>, usize),
}

impl Storage {
    /// The bytes of a new object, who keeps them, and the host pointer for queries. `host` are as many bytes at the host
    /// pointer as the object needs of it, if one was given.
    ///
    /// # Errors
    /// `CL_INVALID_BUFFER_SIZE` if it reaches beyond an allocation of shared memory; `CL_MEM_OBJECT_ALLOCATION_FAILURE`.
    pub(super) fn new(
        context: &Context,
        flags: cl::cl_mem_flags,
        size: usize,
        host: Option<HostSpan>,
    ) -> Result<(HostSpan, Storage, Option<usize>), ApiError> {
        let svm = host.and_then(|host| context.svm.find(host.address()));
        if let (Some(svm), Some(host)) = (&svm, host) {
            // The object must not reach beyond the allocation.
            if !svm.contains(host.address(), host.len()) {
                return Err(ApiError::InvalidBufferSize);
            }
        }
        Ok(match host {
            Some(host) if flags & cl::CL_MEM_USE_HOST_PTR != 0 => {
                (host, svm.map_or(Storage::Application, Storage::Svm), Some(host.address()))
            }
            host => {
                let memory = HostMemory::new(size, 1).ok_or(ApiError::MemObjectAllocationFailure)?;
                if let Some(host) = host {
                    memory.span().copy_from(0, &host, 0, host.len(), false);
                }
                (memory.span(), Storage::Own(memory), None)
            }
        })
    }
}

/// Where a sub-buffer lies, as `cl_buffer_region` says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferRegion {
    /// First byte.
    pub origin: usize,
    /// Bytes.
    pub size: usize,
}

impl Memory {
    /// `clCreateBufferWithProperties`. `host` are the `size` bytes at the host pointer, if one was given.
    pub fn buffer(
        context: &Arc<Context>,
        properties: PropertyList,
        flags: cl::cl_mem_flags,
        size: usize,
        host: Option<HostSpan>,
    ) -> Result<Arc<Memory>, ApiError> {
        properties.check(&[DEVICE_ADDRESS], ApiError::InvalidProperty)?;
        let has_address = match properties.get(DEVICE_ADDRESS) {
            None => false,
            Some(wanted) => flag(wanted)?,
        };
        flags::check_buffer(flags)?;
        // It must be possible on at least one device.
        if size == 0 || !context.devices.iter().any(|device| size as u64 <= device.caps.limits.max_alloc_bytes) {
            return Err(ApiError::InvalidBufferSize);
        }
        flags::check_host_pointer(flags, host.is_some())?;
        if properties.get(DEVICE_ADDRESS).is_some() && !context.has_feature(Feature::BufferDeviceAddress) {
            return Err(ApiError::InvalidOperation);
        }
        let (span, storage, host_pointer) = Storage::new(context, flags, size, host)?;
        let buffer = Self::make(context, properties, flags, span, storage, host_pointer, None);
        if has_address {
            context.addresses.add(&buffer);
        }
        Ok(buffer)
    }

    /// `clCreateSubBuffer`.
    pub fn sub_buffer(
        self: &Arc<Self>,
        flags: cl::cl_mem_flags,
        region: BufferRegion,
    ) -> Result<Arc<Memory>, ApiError> {
        // A sub-buffer has no sub-buffers, and an image none either.
        if matches!(self.storage, Storage::Part(..)) || self.image.is_some() {
            return Err(ApiError::InvalidMemObject);
        }
        let flags = flags::inherit(self.flags, flags)?;
        if region.size == 0 {
            return Err(ApiError::InvalidBufferSize);
        }
        check_range(self.size(), region.origin, region.size)?;
        // It must be aligned as at least one device wants it; the devices of a platform all want the same.
        let aligned = |bytes: u32| region.origin.is_multiple_of((bytes as usize).max(1));
        if !self.context.devices.iter().any(|device| aligned(device.caps.limits.base_align)) {
            return Err(ApiError::MisalignedSubBufferOffset);
        }
        let span = self.span.part(region.origin, region.size).ok_or(ApiError::InvalidValue)?;
        let host_pointer = self.host_pointer.map(|pointer| pointer.wrapping_add(region.origin));
        let storage = Storage::Part(Arc::clone(self), region.origin);
        Ok(Self::make(&self.context, PropertyList::absent(), flags, span, storage, host_pointer, None))
    }

    pub(super) fn make(
        context: &Arc<Context>,
        properties: PropertyList,
        flags: cl::cl_mem_flags,
        span: HostSpan,
        storage: Storage,
        host_pointer: Option<usize>,
        image: Option<Image>,
    ) -> Arc<Memory> {
        Arc::new(Memory {
            handle: HandleCell::new(),
            context: Arc::clone(context),
            flags,
            properties,
            span,
            host_pointer,
            storage,
            image,
            maps: MapTable::default(),
            destructors: Mutex::default(),
        })
    }

    /// What makes it an image, if it is one.
    pub fn image(&self) -> Option<&Image> {
        self.image.as_ref()
    }

    /// The memory object that it is a part or an image of.
    pub(super) fn parent(&self) -> Option<&Arc<Memory>> {
        match &self.storage {
            Storage::Part(parent, _) => Some(parent),
            _ => None,
        }
    }

    /// As the application gave it to this object or the one that it shows.
    pub(super) fn host_pointer(&self) -> Option<usize> {
        self.host_pointer
    }

    /// Size in bytes.
    pub fn size(&self) -> usize {
        self.span.len()
    }

    /// The bytes; valid as long as the object lives, which is the duty of the application if they are its own.
    pub fn span(&self) -> HostSpan {
        self.span
    }

    /// Address of the first byte, as kernels get it.
    pub fn address(&self) -> usize {
        self.span.address()
    }

    /// The flags, those inherited included.
    pub fn flags(&self) -> cl::cl_mem_flags {
        self.flags
    }

    /// Whether its contents never change (`CL_MEM_IMMUTABLE_EXT`).
    pub fn is_immutable(&self) -> bool {
        self.flags & cl::CL_MEM_IMMUTABLE_EXT != 0
    }

    /// The outermost object that the bytes belong to, and where in it they start.
    pub(super) fn root(&self) -> (&Memory, usize) {
        let (mut memory, mut start) = (self, 0);
        while let Storage::Part(parent, origin) = &memory.storage {
            (memory, start) = (parent, start + origin);
        }
        (memory, start)
    }

    /// A number that no other living memory object has.
    pub(super) fn identity(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// The bytes `offset .. offset + size` as bytes of the outermost buffer. The range must lie inside.
    fn in_root(&self, offset: usize, size: usize) -> Range<usize> {
        let start = self.root().1 + offset;
        start..start + size
    }

    /// Registers a mapping; the range must lie inside.
    pub(super) fn add_map(&self, offset: usize, size: usize, write: bool) -> Result<(), ApiError> {
        let mapping = Mapping { owner: self.identity(), range: self.in_root(offset, size), part: None, write };
        self.root().0.maps.add(mapping)
    }

    /// Registers a mapping of a part of an image, whose bytes lie from `start` to `end`.
    pub(super) fn add_image_map(
        &self,
        part: ImageRegion,
        start: usize,
        end: usize,
        write: bool,
    ) -> Result<(), ApiError> {
        let range = self.in_root(start, end - start);
        self.root().0.maps.add(Mapping { owner: self.identity(), range, part: Some(part), write })
    }

    /// Takes back the registration of the mapping at an address; `InvalidValue` if there is none.
    pub(super) fn take_map(&self, address: usize) -> Result<Mapping, ApiError> {
        let offset = address.checked_sub(self.address()).ok_or(ApiError::InvalidValue)?;
        let start = offset.checked_add(self.root().1).ok_or(ApiError::InvalidValue)?;
        self.root().0.maps.take(self.identity(), start)
    }

    /// Registers again what [`Memory::take_map`] took.
    pub(super) fn put_back_map(&self, mapping: Mapping) {
        self.root().0.maps.put_back(mapping);
    }

    /// Number of mappings of this object.
    pub fn map_count(&self) -> usize {
        self.root().0.maps.count(self.identity())
    }

    /// `clSetMemObjectDestructorCallback`: the callback runs on the callback thread when the object is gone for the
    /// application and all commands, and before its storage is.
    pub fn on_destruction(&self, callback: Foreign) {
        self.destructors.lock().push(callback);
    }

    /// Whether the application may ask for the address: it said so when it created the buffer that the bytes belong to.
    fn has_device_address(&self) -> bool {
        self.root().0.properties.get(DEVICE_ADDRESS) == Some(u64::from(cl::CL_TRUE))
    }

    fn uses_svm(&self) -> bool {
        matches!(&self.root().0.storage, Storage::Svm(allocation) if allocation.usm().is_none())
    }

    /// `clGetMemObjectInfo`.
    pub fn info(&self, name: cl::cl_mem_info) -> Result<InfoValue, ApiError> {
        let parent = match &self.storage {
            Storage::Part(parent, origin) => Some((parent, *origin)),
            _ => None,
        };
        Ok(match name {
            cl::CL_MEM_TYPE => {
                let image_type = self.image().map(|image| image.geometry().image_type.object_type());
                InfoValue::U32(image_type.unwrap_or(cl::CL_MEM_OBJECT_BUFFER))
            }
            cl::CL_MEM_FLAGS => InfoValue::U64(self.flags),
            cl::CL_MEM_SIZE => InfoValue::Size(self.image().map_or(self.size(), |image| image.geometry().bytes())),
            cl::CL_MEM_HOST_PTR => InfoValue::Address(self.host_pointer.unwrap_or(0)),
            cl::CL_MEM_MAP_COUNT => InfoValue::U32(u32::try_from(self.map_count()).unwrap_or(u32::MAX)),
            cl::CL_MEM_REFERENCE_COUNT => InfoValue::ReferenceCount,
            cl::CL_MEM_CONTEXT => InfoValue::Context(Arc::clone(&self.context)),
            cl::CL_MEM_ASSOCIATED_MEMOBJECT => {
                parent.map_or(InfoValue::Null, |(parent, _)| InfoValue::Memory(Arc::clone(parent)))
            }
            cl::CL_MEM_OFFSET => InfoValue::Size(parent.map_or(0, |(_, origin)| origin)),
            cl::CL_MEM_USES_SVM_POINTER => InfoValue::Bool(self.uses_svm()),
            // One for each device; they all have the same.
            cl::CL_MEM_DEVICE_ADDRESS_EXT if self.has_device_address() => {
                InfoValue::u64s(self.context.devices.iter().map(|_| self.address() as u64))
            }
            cl::CL_MEM_DEVICE_ADDRESS_EXT => return Err(ApiError::InvalidOperation),
            cl::CL_MEM_PROPERTIES => InfoValue::u64s(self.properties.words()),
            _ => return Err(ApiError::InvalidValue.because("there is no such query")),
        })
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if self.has_device_address() {
            self.context.addresses.remove(self);
        }
        let mut destructors = std::mem::take(self.destructors.get_mut()).into_iter();
        // The storage outlives the callbacks: it goes with the last of them, which was the first to be registered.
        let last = destructors.next().map(|last| {
            let storage = std::mem::replace(&mut self.storage, Storage::Application);
            last.keeping(storage)
        });
        destructors.rev().chain(last).for_each(oxicl_schedule::post_callback);
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory").field("flags", &self.flags).field("span", &self.span).finish_non_exhaustive()
    }
}
