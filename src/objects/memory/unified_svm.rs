//! Types of shared memory by number (`cl_khr_unified_svm`): allocation with properties, and queries about any pointer.
//!
//! The queries know every allocation of the context, whichever function made it: what `clSVMAlloc` and unified shared
//! memory give is of one of the types too.

use std::sync::Arc;

use khronos_headers as cl;
use oxicl_caps::SvmType;
use oxicl_device::{HostMemory, MIN_ALIGN};

use super::svm::{Kind, SvmAllocation};
use super::usm::UsmType;
use crate::context::Context;
use crate::device::Device;
use crate::properties::PropertyList;
use crate::{ApiError, InfoValue};

/// What the API answers about an allocation of `clSVMAllocWithPropertiesKHR`.
#[derive(Clone)]
pub struct UnifiedSvm {
    kind: SvmType,
    device: Option<Arc<Device>>,
    access: cl::cl_svm_alloc_access_flags_khr,
    properties: PropertyList,
}

impl std::fmt::Debug for UnifiedSvm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UnifiedSvm").field("kind", &self.kind).finish_non_exhaustive()
    }
}

/// The properties of an allocation, read and checked.
struct Request {
    alignment: usize,
    access: cl::cl_svm_alloc_access_flags_khr,
}

/// Name of the property whose value is a device's handle; `icd` finds the device.
pub const SVM_DEVICE: u64 = cl::CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR;
const ACCESS: u64 = cl::CL_SVM_ALLOC_ACCESS_FLAGS_KHR;
const ALIGNMENT: u64 = cl::CL_SVM_ALLOC_ALIGNMENT_KHR;

/// Every access flag. They are hints: the host and all devices can always read and write the memory.
const ACCESS_FLAGS: u64 = cl::CL_SVM_ALLOC_ACCESS_HOST_NOREAD_KHR
    | cl::CL_SVM_ALLOC_ACCESS_HOST_NOWRITE_KHR
    | cl::CL_SVM_ALLOC_ACCESS_DEVICE_NOREAD_KHR
    | cl::CL_SVM_ALLOC_ACCESS_DEVICE_NOWRITE_KHR;
/// Every capability.
const CAPABILITIES: u64 = 2 * cl::CL_SVM_CAPABILITY_INDIRECT_ACCESS_KHR - 1;

fn check(properties: &PropertyList) -> Result<Request, ApiError> {
    properties.check(&[SVM_DEVICE, ACCESS, ALIGNMENT], ApiError::InvalidProperty)?;
    let access = properties.get(ACCESS).unwrap_or(0);
    if access & !ACCESS_FLAGS != 0 {
        return Err(ApiError::InvalidProperty.because("the access flags have a bit that is none"));
    }
    let alignment = match properties.get(ALIGNMENT).unwrap_or(0) {
        0 => MIN_ALIGN,
        given => usize::try_from(given).unwrap_or(usize::MAX),
    };
    if !alignment.is_power_of_two() || alignment > MIN_ALIGN {
        return Err(
            ApiError::InvalidProperty.because("the alignment is no power of two up to that of the largest type")
        );
    }
    Ok(Request { alignment, access })
}

impl SvmAllocation {
    /// Its type.
    fn svm_type(&self) -> SvmType {
        match self.kind() {
            Kind::Svm { fine: true } => SvmType::FineGrain,
            Kind::Svm { fine: false } => SvmType::CoarseGrain,
            Kind::Usm(usm) => match usm.owner {
                UsmType::Host => SvmType::Host,
                UsmType::Device => SvmType::Device,
                UsmType::Shared => SvmType::Shared,
            },
            Kind::Unified(unified) => unified.kind,
        }
    }

    fn device(&self) -> Option<&Arc<Device>> {
        match self.kind() {
            Kind::Svm { .. } => None,
            Kind::Usm(usm) => usm.device.as_ref(),
            Kind::Unified(unified) => unified.device.as_ref(),
        }
    }
}

impl Context {
    /// The types that every device of the context has: those of the platform.
    fn svm_types(&self) -> &'static [SvmType] {
        self.devices.first().map_or(&[], |device| device.caps.svm_types())
    }

    fn check_own(&self, device: Option<&Arc<Device>>) -> Result<(), ApiError> {
        match device {
            Some(device) if !self.has_device(device) => {
                Err(ApiError::InvalidDevice.because("the device is of another context"))
            }
            _ => Ok(()),
        }
    }

    /// `clSVMAllocWithPropertiesKHR`: `size` bytes of the type with number `index`; the address. `device` is the one
    /// that the properties name.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for a number of no type; `CL_INVALID_PROPERTY`; `CL_INVALID_DEVICE` for a device of another
    /// context, and for none if the type belongs to one; `CL_INVALID_BUFFER_SIZE` for no bytes or more than a device
    /// allows; `CL_OUT_OF_RESOURCES`.
    pub fn allocate_unified_svm(
        &self,
        index: u32,
        device: Option<Arc<Device>>,
        properties: PropertyList,
        size: usize,
    ) -> Result<usize, ApiError> {
        let kind = self.svm_types().get(index as usize).copied();
        let kind = kind.ok_or(ApiError::InvalidValue.because("no type of shared memory has this number"))?;
        let request = check(&properties)?;
        self.check_own(device.as_ref())?;
        if device.is_none() && kind.capabilities() & cl::CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR == 0 {
            return Err(ApiError::InvalidDevice.because("memory of this type belongs to a device, and none is named"));
        }
        let devices = device.as_ref().map_or(self.devices.as_slice(), std::slice::from_ref);
        if size == 0 || devices.iter().any(|device| size as u64 > device.caps.limits.max_alloc_bytes) {
            return Err(ApiError::InvalidBufferSize);
        }
        let memory = HostMemory::new(size, request.alignment).ok_or(ApiError::OutOfResources)?;
        let unified = UnifiedSvm { kind, device, access: request.access, properties };
        Ok(self.svm.add(memory, Kind::Unified(unified)))
    }

    /// `clSVMFreeWithPropertiesKHR`. It frees what `clSVMAlloc` made, too.
    ///
    /// # Errors
    /// `CL_INVALID_PROPERTY` for any property, `CL_INVALID_VALUE` for any flag, since there are none yet;
    /// `CL_INVALID_VALUE` for an address that is not null and at which no allocation starts.
    pub fn free_unified_svm(
        &self,
        properties: &PropertyList,
        flags: cl::cl_svm_free_flags_khr,
        address: usize,
    ) -> Result<(), ApiError> {
        properties.check(&[], ApiError::InvalidProperty)?;
        if flags != 0 {
            return Err(ApiError::InvalidValue.because("there is no flag for freeing shared memory"));
        }
        if address == 0 || self.svm.free(address) {
            return Ok(());
        }
        Err(ApiError::InvalidValue.because("no allocation starts at the pointer"))
    }

    /// `clGetSVMPointerInfoKHR` about the allocation that an address lies in, as seen by a device or by all.
    ///
    /// # Errors
    /// `CL_INVALID_DEVICE` for a device of another context; `CL_INVALID_VALUE` for a query that does not exist.
    pub fn svm_pointer_info(
        &self,
        device: Option<&Arc<Device>>,
        address: usize,
        name: cl::cl_svm_pointer_info_khr,
    ) -> Result<InfoValue, ApiError> {
        self.check_own(device)?;
        let found = self.svm.find(address);
        let found = found.as_deref();
        let unified = match found.map(SvmAllocation::kind) {
            Some(Kind::Unified(unified)) => Some(unified),
            _ => None,
        };
        Ok(match name {
            cl::CL_SVM_INFO_TYPE_INDEX_KHR => InfoValue::U32(found.map_or(u32::MAX, |found| found.svm_type().index())),
            cl::CL_SVM_INFO_CAPABILITIES_KHR => {
                InfoValue::U64(found.map_or(0, |found| found.svm_type().capabilities()))
            }
            cl::CL_SVM_INFO_PROPERTIES_KHR => {
                InfoValue::u64s(unified.map(|unified| unified.properties.words()).unwrap_or_default())
            }
            cl::CL_SVM_INFO_ACCESS_FLAGS_KHR => InfoValue::U64(unified.map_or(0, |unified| unified.access)),
            cl::CL_SVM_INFO_BASE_PTR_KHR => InfoValue::Address(found.map_or(0, |found| found.span().address())),
            cl::CL_SVM_INFO_SIZE_KHR => InfoValue::Size(found.map_or(0, |found| found.span().len())),
            cl::CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR => {
                found.and_then(SvmAllocation::device).cloned().map_or(InfoValue::Null, InfoValue::Device)
            }
            _ => return Err(ApiError::InvalidValue),
        })
    }

    /// `clGetSVMSuggestedTypeIndexKHR`: of the types that have what is required, the one that has most of what is
    /// desired, and rather one that can be allocated with these properties; the first of equals. `u32::MAX` if no type
    /// has what is required.
    ///
    /// # Errors
    /// `CL_INVALID_PROPERTY`; `CL_INVALID_DEVICE` for a device of another context; `CL_INVALID_VALUE` for capabilities
    /// that do not exist; `CL_INVALID_BUFFER_SIZE` for more bytes than a device allows.
    pub fn suggested_svm_type(
        &self,
        required: cl::cl_svm_capabilities_khr,
        desired: cl::cl_svm_capabilities_khr,
        device: Option<&Arc<Device>>,
        properties: &PropertyList,
        size: usize,
    ) -> Result<u32, ApiError> {
        check(properties)?;
        self.check_own(device)?;
        if (required | desired) & !CAPABILITIES != 0 {
            return Err(ApiError::InvalidValue.because("a capability does not exist"));
        }
        let devices = device.map_or(self.devices.as_slice(), std::slice::from_ref);
        if devices.iter().any(|device| size as u64 > device.caps.limits.max_alloc_bytes) {
            return Err(ApiError::InvalidBufferSize);
        }
        let able = self.svm_types().iter().filter(|kind| kind.capabilities() & required == required);
        let score = |kind: &&SvmType| {
            let has = kind.capabilities();
            let allocatable = device.is_some() || has & cl::CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR != 0;
            (allocatable, (has & desired).count_ones())
        };
        // The last of the largest is chosen, so the order is turned round.
        Ok(able.rev().max_by_key(score).map_or(u32::MAX, |kind| kind.index()))
    }
}
