//! What a device sees of the context that it runs a launch for.

use std::any::Any;
use std::sync::Arc;

use oxicl_device::{Arguments, Lent, Reach, Surroundings};

use crate::context::Context;
use crate::memory::{Kind, Memory, SvmAllocation, UsmType};

impl Surroundings for Context {
    fn zeroes_local_memory(&self) -> bool {
        self.begins_as_zeros().local
    }

    fn notify(&self, message: &str) {
        Context::notify(self, message);
    }

    fn lend(&self, arguments: &Arguments) -> Lent {
        // Shared virtual memory that has been freed since is but kept.
        let kept = |one: &Arc<dyn Any + Send + Sync>| {
            let allocation = || one.downcast_ref::<SvmAllocation>().map(SvmAllocation::span);
            one.downcast_ref::<Memory>().map(Memory::span).or_else(allocation)
        };
        let buffers = arguments.keep.iter().filter_map(kept);
        let image = |one: &Arc<dyn Any + Send + Sync>| Some(one.downcast_ref::<Memory>()?.image()?.descriptor());
        let descriptors = arguments.keep.iter().filter_map(image);
        let mut shared = self.svm.all();
        shared.retain(|allocation| within(&arguments.reach, allocation));
        let spans = buffers.chain(descriptors).chain(shared.iter().map(|one| one.span())).collect();
        Lent { spans, keep: shared.into_iter().map(|one| one as Arc<dyn Any + Send + Sync>).collect() }
    }
}

/// Whether a launch may use an allocation. What `clSVMAlloc` made is always there; other memory has to be named by a
/// pointer or allowed as a whole.
fn within(reach: &Reach, allocation: &SvmAllocation) -> bool {
    let allowed = match allocation.kind() {
        Kind::Svm { .. } => true,
        Kind::Unified(_) => reach.svm,
        Kind::Usm(usm) => match usm.owner {
            UsmType::Host => reach.host,
            UsmType::Device => reach.device,
            UsmType::Shared => reach.shared,
        },
    };
    allowed || reach.pointers.iter().any(|address| allocation.contains(*address, 1))
}
