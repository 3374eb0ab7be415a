//! Kernels of the reference device, and their launches.

use std::ops::Range;
use std::sync::Arc;

use oxicl_abi::KernelFacts;
use oxicl_caps::CONTEXT_LIMIT;
use oxicl_device::{ApiError, Arguments, DeviceKernel, NdRange, Variables, flush};
use oxicl_interpret::{Kernel, Launch, Program};
use oxicl_schedule::{Failed, Job, WorkerSlot};

use super::view::View;

/// A kernel.
pub(super) struct ReferenceKernel {
    program: Arc<Program>,
    kernel: Kernel,
    facts: KernelFacts,
    variables: Option<Arc<Variables>>,
    /// Bytes that one call of `printf` may print.
    print_limit: usize,
}

impl ReferenceKernel {
    pub(super) fn new(
        program: &Arc<Program>,
        kernel: Kernel,
        name: &str,
        variables: Option<Arc<Variables>>,
        print_limit: usize,
        sub_group_size: u32,
    ) -> Self {
        let facts = KernelFacts {
            name: name.to_owned(),
            local_bytes: kernel.local_bytes(),
            lanes: 1,
            sub_group_size: kernel.sub_group_size(sub_group_size),
            ..KernelFacts::default()
        };
        ReferenceKernel { program: Arc::clone(program), kernel, facts, variables, print_limit }
    }
}

impl DeviceKernel for ReferenceKernel {
    fn facts(&self) -> Result<&KernelFacts, ApiError> {
        Ok(&self.facts)
    }

    fn launch(self: Arc<Self>, range: &NdRange, arguments: Arc<Arguments>) -> Result<Arc<dyn Job>, ApiError> {
        let local = self.facts.local_area(arguments.dynamic_local);
        local.filter(|bytes| *bytes <= CONTEXT_LIMIT).ok_or(ApiError::OutOfResources)?;
        let [x, y, z] = range.groups();
        let groups = x.checked_mul(y).and_then(|groups| groups.checked_mul(z)).ok_or(ApiError::OutOfResources)?;
        Ok(Arc::new(ReferenceLaunch { kernel: self, arguments, range: *range, groups }))
    }
}

/// A launch. It is one unit, so that work-groups run one after the other, in linear order.
struct ReferenceLaunch {
    kernel: Arc<ReferenceKernel>,
    arguments: Arc<Arguments>,
    range: NdRange,
    groups: u64,
}

/// An interpreted work-group takes about so long, in nanoseconds.
const GROUP_COST: u64 = 100_000;

impl Job for ReferenceLaunch {
    fn units(&self) -> u64 {
        self.groups.min(1)
    }

    fn cost(&self) -> Option<u64> {
        Some(self.groups.saturating_mul(GROUP_COST))
    }

    fn finish(&self) {
        flush();
    }

    fn run(&self, _units: Range<u64>, _slot: &mut WorkerSlot) -> Result<(), Failed> {
        let range = oxicl_interpret::NdRange {
            work_dim: self.range.dimensions,
            global_offset: self.range.offset,
            global_size: self.range.global,
            local_size: self.range.local,
        };
        let block = self.arguments.block.bytes();
        let launch = Launch {
            arguments: &block,
            dynamic_local: self.arguments.dynamic_local,
            program_block: self.kernel.variables.as_ref().map_or(0, |variables| variables.address()),
            steps: u64::MAX,
            print_limit: self.kernel.print_limit,
            sub_group_size: self.kernel.facts.sub_group_size,
        };
        let view = View::new(&self.arguments, self.kernel.variables.as_deref());
        let done = self.kernel.program.run(&self.kernel.kernel, &range, &launch, &mut view.memory());
        done.map_err(|fault| {
            if let Some(context) = &self.arguments.context {
                context.notify(&format!("kernel {} on the reference device: {fault}", self.kernel.facts.name));
            }
            Failed
        })
    }
}
