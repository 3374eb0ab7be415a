//! Shared memory: allocations, and finding the one that a pointer belongs to.
//!
//! Every pointer of the host is valid on the device, at the same address, with full coherence: this is fine-grained
//! system sharing. So an allocation is host memory like any other, registered only for what the API asks about it. That
//! holds for shared virtual memory and unified shared memory alike, so both are in one registry.

use std::collections::BTreeMap;
use std::sync::Arc;

use khronos_headers::{CL_MEM_SVM_FINE_GRAIN_BUFFER, cl_svm_mem_flags};
use oxicl_device::{HostMemory, HostSpan, MIN_ALIGN};
use parking_lot::RwLock;

use super::flags;
use super::unified_svm::UnifiedSvm;
use super::usm::Usm;
use crate::ApiError;
use crate::context::Context;

/// Largest alignment that can be asked for, in bytes. The specification wants that of the largest type only.
const MAX_ALIGN: usize = 2 << 20;

/// Which function made an allocation, and what queries about it answer.
#[derive(Clone, Debug)]
pub enum Kind {
    /// `clSVMAlloc`.
    Svm {
        /// With `CL_MEM_SVM_FINE_GRAIN_BUFFER`.
        fine: bool,
    },
    /// One of the functions of `cl_intel_unified_shared_memory`.
    Usm(Usm),
    /// `clSVMAllocWithPropertiesKHR`.
    Unified(UnifiedSvm),
}

/// An allocation that the host and devices share.
#[derive(Debug)]
pub struct SvmAllocation {
    memory: HostMemory,
    kind: Kind,
}

impl SvmAllocation {
    /// Its bytes.
    pub fn span(&self) -> HostSpan {
        self.memory.span()
    }

    /// Which function made it.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// What is known of it as unified shared memory, if it is that.
    pub fn usm(&self) -> Option<&Usm> {
        match &self.kind {
            Kind::Usm(usm) => Some(usm),
            Kind::Svm { .. } | Kind::Unified(_) => None,
        }
    }

    /// Whether `size` bytes at an address lie inside.
    pub fn contains(&self, address: usize, size: usize) -> bool {
        let span = self.span();
        match address.checked_sub(span.address()) {
            Some(offset) => span.part(offset, size).is_some(),
            None => false,
        }
    }
}

/// The allocations of a context, by address. They end when they are freed, or with the context.
#[derive(Debug, Default)]
pub struct SvmRegistry(RwLock<BTreeMap<usize, Arc<SvmAllocation>>>);

impl SvmRegistry {
    /// The allocation that an address lies in.
    pub fn find(&self, address: usize) -> Option<Arc<SvmAllocation>> {
        let allocations = self.0.read();
        let (_, last_before) = allocations.range(..=address).next_back()?;
        last_before.contains(address, 1).then(|| Arc::clone(last_before))
    }

    /// All allocations, by address.
    pub fn all(&self) -> Vec<Arc<SvmAllocation>> {
        self.0.read().values().map(Arc::clone).collect()
    }

    /// Whether `size` bytes at an address lie inside one allocation.
    pub fn contains(&self, address: usize, size: usize) -> bool {
        self.find(address).is_some_and(|allocation| allocation.contains(address, size))
    }

    /// Refuses bytes that begin in an allocation and leave it, and gives the allocation. What begins elsewhere is system
    /// memory.
    pub(super) fn check(&self, span: HostSpan) -> Result<Option<Arc<SvmAllocation>>, ApiError> {
        match self.find(span.address()) {
            Some(allocation) if !allocation.contains(span.address(), span.len()) => Err(ApiError::InvalidValue),
            found => Ok(found),
        }
    }

    /// `clSVMAlloc`; the address.
    pub fn allocate(
        &self,
        context: &Context,
        flags: cl_svm_mem_flags,
        size: usize,
        alignment: usize,
    ) -> Result<usize, ApiError> {
        flags::check_svm(flags)?;
        // It must be possible on all devices.
        if size == 0 || context.devices.iter().any(|device| size as u64 > device.caps.limits.max_alloc_bytes) {
            return Err(ApiError::InvalidBufferSize);
        }
        let alignment = if alignment == 0 { MIN_ALIGN } else { alignment };
        if !alignment.is_power_of_two() || alignment > MAX_ALIGN {
            return Err(ApiError::InvalidValue);
        }
        let memory = HostMemory::new(size, alignment).ok_or(ApiError::MemObjectAllocationFailure)?;
        Ok(self.add(memory, Kind::Svm { fine: flags & CL_MEM_SVM_FINE_GRAIN_BUFFER != 0 }))
    }

    /// Registers memory; its address.
    pub(super) fn add(&self, memory: HostMemory, kind: Kind) -> usize {
        let allocation = SvmAllocation { memory, kind };
        let address = allocation.span().address();
        self.0.write().insert(address, Arc::new(allocation));
        address
    }

    /// `clSVMFree`: ends the allocation that starts at an address; whether there was one. Unified shared memory has a
    /// function of its own, and is left alone.
    pub fn free(&self, address: usize) -> bool {
        self.end(address, |kind| !matches!(kind, Kind::Usm(_)))
    }

    /// Ends the allocation that starts at an address, if it is of the right kind; whether it was. Commands that were
    /// given a pointer into it keep its memory until they are over.
    pub(super) fn end(&self, address: usize, of_kind: impl Fn(&Kind) -> bool) -> bool {
        let mut allocations = self.0.write();
        let known = allocations.get(&address).is_some_and(|allocation| of_kind(&allocation.kind));
        let ended = if known { allocations.remove(&address) } else { None };
        // Unmapping takes time: not under the lock.
        drop(allocations);
        ended.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn registry(sizes: &[usize]) -> (SvmRegistry, Vec<usize>) {
        let registry = SvmRegistry::default();
        let addresses = sizes
            .iter()
            .map(|&size| {
                let memory = HostMemory::new(size, 1).expect("small");
                registry.add(memory, Kind::Svm { fine: false })
            })
            .collect();
        (registry, addresses)
    }

    #[test]
    fn every_byte_of_an_allocation_finds_it_and_no_other_does() {
        let sizes = [1, 100, 4096, 300_000];
        let (registry, addresses) = registry(&sizes);
        for (&address, size) in addresses.iter().zip(sizes) {
            for offset in [0, size / 2, size - 1] {
                let found = registry.find(address + offset).expect("inside");
                assert_eq!(found.span().address(), address);
            }
            let beyond = registry.find(address + size).map(|other| other.span().address());
            assert_ne!(beyond, Some(address));
            assert!(registry.contains(address, size));
            assert!(!registry.contains(address, size + 1));
            assert!(!registry.contains(address + 1, size));
        }
        assert!(registry.find(0).is_none());
        assert!(registry.find(usize::MAX).is_none());
    }

    #[test]
    fn freed_allocation_is_not_found_and_freeing_another_address_does_nothing() {
        let (registry, addresses) = registry(&[64, 64]);
        registry.free(addresses[0] + 1);
        assert!(registry.find(addresses[0]).is_some());
        registry.free(addresses[0]);
        assert!(registry.find(addresses[0]).is_none());
        registry.free(addresses[0]);
        assert!(registry.find(addresses[1]).is_some());
    }

    #[test]
    fn range_that_leaves_its_allocation_is_refused_and_system_memory_is_not() {
        let (registry, addresses) = registry(&[64]);
        let allocation = registry.find(addresses[0]).expect("there");
        assert!(registry.check(allocation.span()).expect("inside").is_some());
        let system = HostMemory::new(100, 1).expect("small");
        assert!(registry.check(system.span()).expect("elsewhere").is_none());
    }
}
