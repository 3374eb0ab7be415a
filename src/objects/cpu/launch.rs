//! Kernels of the CPU, and their launches.
#![allow(unsafe_code, reason = "vouches for compiled code, which the scheduler cannot check")]

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use oxicl_caps::DeviceCaps;
use oxicl_caps::config::Config;
use oxicl_load::LoadedImage;
use oxicl_protocol::{Entry, KernelFacts, LaunchRecord};
use oxicl_schedule::{CostHint, Failed, Job, Launch, Order, Seat};

use super::services;
use crate::ApiError;
use crate::backend::{Arguments, DeviceKernel, NdRange};

/// The block of program-scope variables of a program on a device.
pub trait ProgramMemory: Send + Sync {
    /// Its address; 0 if the program has no such variables.
    fn address(&self) -> u64;
}

/// A compiled kernel, and what it needs to stay alive.
pub struct CpuKernel {
    entry: Entry,
    facts: KernelFacts,
    /// The code that `entry` is in; none for a function of a test.
    _image: Option<Arc<LoadedImage>>,
    variables: Option<Arc<dyn ProgramMemory>>,
    cost: CostHint,
}

impl fmt::Debug for CpuKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CpuKernel").field("facts", &self.facts).finish_non_exhaustive()
    }
}

/// The context block of a work-group is at most this large, in bytes: `CL_KERNEL_WORK_GROUP_SIZE` falls so that it is.
pub const CONTEXT_LIMIT: u64 = 64 << 20;

impl CpuKernel {
    /// The kernel with these facts in an image. `None` if the image has no such entry.
    pub fn new(image: Arc<LoadedImage>, facts: KernelFacts, variables: Option<Arc<dyn ProgramMemory>>) -> Option<Self> {
        let entry = image.entry(facts.entry)?;
        Some(CpuKernel { entry, facts, _image: Some(image), variables, cost: CostHint::default() })
    }
}

#[cfg(test)]
impl CpuKernel {
    /// A kernel that is a function of a test.
    pub(crate) fn of_test(entry: Entry, facts: KernelFacts) -> Arc<Self> {
        Arc::new(CpuKernel { entry, facts, _image: None, variables: None, cost: CostHint::default() })
    }
}

impl DeviceKernel for CpuKernel {
    fn facts(&self) -> &KernelFacts {
        &self.facts
    }

    fn launch(self: Arc<Self>, range: &NdRange, arguments: Arc<Arguments>) -> Result<Arc<dyn Job>, ApiError> {
        let state_offset = self.facts.local_area(arguments.dynamic_local).ok_or(ApiError::OutOfResources)?;
        let context = self.facts.context_bytes(range.local, arguments.dynamic_local);
        let context = context.filter(|bytes| *bytes <= CONTEXT_LIMIT).ok_or(ApiError::OutOfResources)?;
        let record = LaunchRecord {
            work_dim: u64::from(range.dimensions),
            global_offset: range.offset,
            global_size: range.global,
            local_size: range.local,
            num_groups: range.groups(),
            arguments: arguments.block.address(),
            program_block: self.variables.as_ref().map_or(0, |variables| variables.address()),
            state_offset,
            services: services::table(),
        };
        let zero_local = arguments.context.as_ref().is_some_and(|context| context.begins_as_zeros().local);
        // Local memory lies before the state.
        let zeroed = if zero_local { state_offset } else { 0 };
        let order = Order::new(self.facts.style, DeviceCaps::host().cpu.caches.second);
        let (entry, stack) = ((self.entry, order), self.facts.stack_bytes);
        let has_services = self.facts.prints || self.facts.style.fiber > 0;
        // SAFETY: the entry comes from the image together with its facts, the argument block was laid out for it, and the
        // launch keeps kernel (with image and variables) and arguments alive.
        let launch = unsafe { Launch::new(entry, record, context, stack, (self, arguments)) };
        let launch = launch.ok_or(ApiError::OutOfResources)?.zeroing(zeroed);
        Ok(Arc::new(CpuLaunch(if Config::get().check_stacks { launch.watched(has_services) } else { launch })))
    }
}

/// A launch of a CPU kernel: the units are work-groups.
pub struct CpuLaunch(Launch<(Arc<CpuKernel>, Arc<Arguments>)>);

impl fmt::Debug for CpuLaunch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CpuLaunch of {} groups", self.0.groups())
    }
}

impl CpuLaunch {
    fn hint(&self) -> &CostHint {
        &self.0.keep().0.cost
    }
}

impl Job for CpuLaunch {
    fn units(&self) -> u64 {
        self.0.groups()
    }

    fn cost(&self) -> Option<u64> {
        self.hint().estimate(self.steps())
    }

    /// Work-items, counting the last groups as full.
    fn steps(&self) -> u64 {
        self.0.groups().saturating_mul(self.0.group_items())
    }

    fn run(&self, units: Range<u64>, seat: &mut Seat) -> Result<(), Failed> {
        let result = self.0.run(units, seat);
        if self.0.keep().0.facts.prints {
            services::flush();
        }
        result
    }

    fn wants_sample(&self) -> bool {
        self.hint().due()
    }

    fn sampled(&self, units: u64, nanoseconds: u64) {
        self.hint().sample(units.saturating_mul(self.0.group_items()), nanoseconds);
    }
}
