//! Unified shared memory (`cl_intel_unified_shared_memory`): allocations of the host, of a device, and shared by both.
//!
//! To a device of this platform all three are host memory: what differs is what the API says about them, and on the
//! reference device which of them a kernel may reach without having been given a pointer into them.

use std::sync::Arc;

use khronos_headers as cl;
use oxicl_caps::Feature;
use oxicl_device::{HostMemory, MIN_ALIGN};

use super::svm::Kind;
use crate::context::Context;
use crate::device::Device;
use crate::properties::PropertyList;
use crate::{ApiError, InfoValue};

/// Who owns an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsmType {
    /// The host.
    Host,
    /// A device.
    Device,
    /// The host, with a device or all of them.
    Shared,
}

/// What the API answers about an allocation of unified shared memory.
#[derive(Clone)]
pub struct Usm {
    /// Who owns it.
    pub owner: UsmType,
    /// The device that it belongs to; some, if a device owns it.
    pub device: Option<Arc<Device>>,
    /// `CL_MEM_ALLOC_FLAGS_INTEL`.
    pub flags: cl::cl_mem_alloc_flags_intel,
}

impl std::fmt::Debug for Usm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Usm").field("owner", &self.owner).field("flags", &self.flags).finish_non_exhaustive()
    }
}

const FLAGS: u64 = cl::CL_MEM_ALLOC_FLAGS_INTEL;
/// The property's name is that of a query too.
const ALLOC_FLAGS: cl::cl_mem_info_intel = FLAGS as cl::cl_mem_info_intel;
const PLACEMENT: u64 = cl::CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL | cl::CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL;

/// The allocation flags in a property list. Where memory is placed first can only be said of shared memory, and only
/// once; it changes nothing here.
fn flags(owner: UsmType, properties: &PropertyList) -> Result<cl::cl_mem_alloc_flags_intel, ApiError> {
    properties.check(&[FLAGS], ApiError::InvalidProperty)?;
    let flags = properties.get(FLAGS).unwrap_or(0);
    let allowed = match owner {
        UsmType::Shared => cl::CL_MEM_ALLOC_WRITE_COMBINED_INTEL | PLACEMENT,
        UsmType::Host | UsmType::Device => cl::CL_MEM_ALLOC_WRITE_COMBINED_INTEL,
    };
    if flags & !allowed != 0 || flags & PLACEMENT == PLACEMENT {
        return Err(
            ApiError::InvalidProperty.because("the flags contradict each other or are not for this kind of memory")
        );
    }
    Ok(flags)
}

impl Context {
    /// `clHostMemAllocINTEL`, `clDeviceMemAllocINTEL` and `clSharedMemAllocINTEL`: `size` bytes at a multiple of
    /// `alignment`, which is 0 for that of the largest type; the address. `device` is none for memory of the host, and
    /// may be for shared memory.
    ///
    /// # Errors
    /// In this order: `CL_INVALID_DEVICE` for a device of another context; `CL_INVALID_OPERATION` without a device that
    /// can; `CL_INVALID_VALUE` for an alignment that is no power of two or larger than the largest type;
    /// `CL_INVALID_PROPERTY`; `CL_INVALID_BUFFER_SIZE` for no bytes or more than a device allows;
    /// `CL_OUT_OF_RESOURCES`.
    pub fn allocate_usm(
        &self,
        owner: UsmType,
        device: Option<Arc<Device>>,
        properties: &PropertyList,
        size: usize,
        alignment: usize,
    ) -> Result<usize, ApiError> {
        if device.as_ref().is_some_and(|device| !self.has_device(device)) {
            return Err(ApiError::InvalidDevice.because("the device is of another context"));
        }
        let devices = device.as_ref().map_or(self.devices.as_slice(), std::slice::from_ref);
        let able = || devices.iter().filter(|device| device.caps.has(Feature::UnifiedSharedMemory));
        if able().next().is_none() {
            return Err(ApiError::InvalidOperation);
        }
        let alignment = if alignment == 0 { MIN_ALIGN } else { alignment };
        if !alignment.is_power_of_two() || alignment > MIN_ALIGN {
            return Err(
                ApiError::InvalidValue.because("the alignment is no power of two up to that of the largest type")
            );
        }
        let flags = flags(owner, properties)?;
        if size == 0 || able().any(|device| size as u64 > device.caps.limits.max_alloc_bytes) {
            return Err(ApiError::InvalidBufferSize);
        }
        let memory = HostMemory::new(size, alignment).ok_or(ApiError::OutOfResources)?;
        Ok(self.svm.add(memory, Kind::Usm(Usm { owner, device, flags })))
    }

    /// `clMemFreeINTEL` and, if `blocking`, `clMemBlockingFreeINTEL`, which first waits for every command that was
    /// enqueued in the context: any of them may use the memory through a pointer that is stored somewhere.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for an address that is not null and at which no allocation starts.
    pub fn free_usm(&self, address: usize, blocking: bool) -> Result<(), ApiError> {
        let is_usm = |kind: &Kind| matches!(kind, Kind::Usm(_));
        if address == 0 {
            return Ok(());
        }
        let start = self.svm.find(address).filter(|found| found.span().address() == address && is_usm(found.kind()));
        let start = start.ok_or(ApiError::InvalidValue.because("no allocation starts at the pointer"))?;
        if blocking {
            self.finish_queues()?;
        }
        drop(start);
        // Another thread may have freed it meanwhile.
        if self.svm.end(address, is_usm) { Ok(()) } else { Err(ApiError::InvalidValue) }
    }

    /// `clGetMemAllocInfoINTEL` about the allocation that an address lies in.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for a query that does not exist.
    pub fn usm_info(&self, address: usize, name: cl::cl_mem_info_intel) -> Result<InfoValue, ApiError> {
        let allocation = self.svm.find(address);
        let found = allocation.as_ref().and_then(|allocation| Some((allocation.span(), allocation.usm()?)));
        Ok(match name {
            cl::CL_MEM_ALLOC_TYPE_INTEL => InfoValue::U32(match found.map(|(_, usm)| usm.owner) {
                Some(UsmType::Host) => cl::CL_MEM_TYPE_HOST_INTEL,
                Some(UsmType::Device) => cl::CL_MEM_TYPE_DEVICE_INTEL,
                Some(UsmType::Shared) => cl::CL_MEM_TYPE_SHARED_INTEL,
                None => cl::CL_MEM_TYPE_UNKNOWN_INTEL,
            }),
            cl::CL_MEM_ALLOC_BASE_PTR_INTEL => InfoValue::Address(found.map_or(0, |(span, _)| span.address())),
            cl::CL_MEM_ALLOC_SIZE_INTEL => InfoValue::Size(found.map_or(0, |(span, _)| span.len())),
            cl::CL_MEM_ALLOC_DEVICE_INTEL => {
                found.and_then(|(_, usm)| usm.device.clone()).map_or(InfoValue::Null, InfoValue::Device)
            }
            ALLOC_FLAGS => InfoValue::U64(found.map_or(0, |(_, usm)| usm.flags)),
            _ => return Err(ApiError::InvalidValue),
        })
    }
}
