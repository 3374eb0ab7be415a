//! Types of shared memory, as `cl_khr_unified_svm` numbers them.

use khronos_headers as cl;

use crate::DeviceCaps;
use crate::features::Feature;

/// A type of shared memory. Its number is its place in the lists that the queries answer with. To the CPU all of them are
/// memory of the host, so that each can do what the hardware allows; what tells them apart is who owns the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SvmType {
    /// What any allocator of the process makes.
    System,
    /// `clSVMAlloc` with fine grain.
    FineGrain,
    /// `clSVMAlloc` otherwise.
    CoarseGrain,
    /// Owned by the host.
    Host,
    /// Owned by a device.
    Device,
    /// Owned by the host and a device.
    Shared,
}

/// The types in the order of their numbers.
pub const SVM_TYPES: [SvmType; 6] =
    [SvmType::System, SvmType::FineGrain, SvmType::CoarseGrain, SvmType::Host, SvmType::Device, SvmType::Shared];

/// What can be done with memory that the host reaches, whatever its type.
const CONCURRENT: u64 = cl::CL_SVM_CAPABILITY_DEVICE_ATOMIC_ACCESS_KHR
    | cl::CL_SVM_CAPABILITY_CONCURRENT_ACCESS_KHR
    | cl::CL_SVM_CAPABILITY_CONCURRENT_ATOMIC_ACCESS_KHR
    | cl::CL_SVM_CAPABILITY_INDIRECT_ACCESS_KHR;

impl SvmType {
    /// The number.
    pub const fn index(self) -> u32 {
        self as u32
    }

    /// What can be done with memory of the type.
    pub const fn capabilities(self) -> cl::cl_svm_capabilities_khr {
        match self {
            SvmType::System => cl::CL_SVM_TYPE_MACRO_SYSTEM_KHR,
            SvmType::FineGrain => cl::CL_SVM_TYPE_MACRO_FINE_GRAIN_BUFFER_KHR | CONCURRENT,
            SvmType::CoarseGrain => {
                cl::CL_SVM_TYPE_MACRO_COARSE_GRAIN_BUFFER_KHR | cl::CL_SVM_CAPABILITY_INDIRECT_ACCESS_KHR
            }
            SvmType::Host => cl::CL_SVM_TYPE_MACRO_HOST_KHR | cl::CL_SVM_CAPABILITY_HOST_MAP_KHR | CONCURRENT,
            SvmType::Device => cl::CL_SVM_TYPE_MACRO_DEVICE_KHR | cl::CL_SVM_CAPABILITY_CONTEXT_ACCESS_KHR,
            SvmType::Shared => {
                cl::CL_SVM_TYPE_MACRO_SINGLE_DEVICE_SHARED_KHR
                    | cl::CL_SVM_CAPABILITY_CONTEXT_ACCESS_KHR
                    | cl::CL_SVM_CAPABILITY_HOST_MAP_KHR
                    | CONCURRENT
            }
        }
    }
}

impl DeviceCaps {
    /// The types of shared memory, by number. All of them, or none.
    pub fn svm_types(&self) -> &'static [SvmType] {
        if self.has(Feature::UnifiedSvm) { &SVM_TYPES } else { &[] }
    }
}

#[cfg(test)]
mod tests {
    use super::{SVM_TYPES, SvmType};
    use khronos_headers as cl;

    #[test]
    fn types_stand_at_their_numbers() {
        for (place, kind) in SVM_TYPES.into_iter().enumerate() {
            assert_eq!(kind.index() as usize, place);
        }
    }

    #[test]
    fn only_memory_of_a_device_is_out_of_the_hosts_reach() {
        for kind in SVM_TYPES {
            let reached =
                kind.capabilities() & (cl::CL_SVM_CAPABILITY_HOST_READ_KHR | cl::CL_SVM_CAPABILITY_HOST_MAP_KHR);
            assert_eq!(reached == 0, kind == SvmType::Device, "{kind:?}");
        }
    }
}
