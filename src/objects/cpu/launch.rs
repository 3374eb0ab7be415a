//! Kernels of the CPU, and their launches.
#![allow(unsafe_code, reason = "vouches for compiled code, which the scheduler cannot check")]

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use oxicl_caps::DeviceCaps;
use oxicl_caps::config::Config;
use oxicl_protocol::{KernelFacts, LaunchRecord};
use oxicl_schedule::{Failed, Job, Launch, Order, Seat};

use super::code::{Code, CpuKernel};
use super::services;
use crate::ApiError;
use crate::backend::{Arguments, DeviceKernel, NdRange, Pending};
use crate::context::log;

/// The block of program-scope variables of a program on a device.
pub trait ProgramMemory: Send + Sync {
    /// Its address; 0 if the program has no such variables.
    fn address(&self) -> u64;
}

/// The context block of a work-group is at most this large, in bytes: `CL_KERNEL_WORK_GROUP_SIZE` falls so that it is.
pub const CONTEXT_LIMIT: u64 = 64 << 20;

impl DeviceKernel for CpuKernel {
    fn facts(&self) -> Result<&KernelFacts, ApiError> {
        self.planned()
    }

    fn pending(&self) -> Option<Arc<dyn Pending>> {
        self.missing().map(|kernel| kernel as Arc<dyn Pending>)
    }

    fn launch(self: Arc<Self>, range: &NdRange, arguments: Arc<Arguments>) -> Result<Arc<dyn Job>, ApiError> {
        let facts = self.planned()?;
        let state_offset = facts.local_area(arguments.dynamic_local).ok_or(ApiError::OutOfResources)?;
        context_bytes(facts, range.local, &arguments).ok_or(ApiError::OutOfResources)?;
        let num_groups = range.groups();
        let groups = num_groups.iter().try_fold(1_u64, |all, groups| all.checked_mul(*groups));
        let record = LaunchRecord {
            work_dim: u64::from(range.dimensions),
            global_offset: range.offset,
            global_size: range.global,
            local_size: range.local,
            num_groups,
            arguments: arguments.block.address(),
            program_block: self.variables.as_ref().map_or(0, |variables| variables.address()),
            state_offset,
            services: services::table(),
        };
        let groups = groups.ok_or(ApiError::OutOfResources)?;
        Ok(Arc::new(CpuLaunch { kernel: self, arguments, record, groups, launch: OnceLock::new() }))
    }
}

/// The context block that a work-group takes, in bytes, if it may be so large.
fn context_bytes(facts: &KernelFacts, local: [u64; 3], arguments: &Arguments) -> Option<u64> {
    facts.context_bytes(local, arguments.dynamic_local).filter(|bytes| *bytes <= CONTEXT_LIMIT)
}

/// A launch of a CPU kernel: the units are work-groups.
pub struct CpuLaunch {
    kernel: Arc<CpuKernel>,
    arguments: Arc<Arguments>,
    record: LaunchRecord,
    groups: u64,
    /// With the code, which is there when the launch runs; none if it cannot be run.
    launch: OnceLock<Option<Launch<Kept>>>,
}

/// What a launch keeps alive: code and program-scope variables, arguments.
type Kept = (Arc<CpuKernel>, Arc<Arguments>);

impl fmt::Debug for CpuLaunch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CpuLaunch of {} groups", self.groups)
    }
}

impl CpuLaunch {
    fn group_items(&self) -> u64 {
        self.record.local_size.iter().fold(1, |items: u64, size| items.saturating_mul(*size))
    }

    /// The launch, now that there is code. Who asks first says why there is none.
    fn ready(&self) -> Option<&Launch<Kept>> {
        let make = || {
            let launch = self.kernel.code().and_then(|code| {
                self.with(code).ok_or_else(|| "there is no room for what its work-groups keep".to_owned())
            });
            launch.map_err(|why| self.tell(&why)).ok()
        };
        self.launch.get_or_init(make).as_ref()
    }

    fn with(&self, code: &Code) -> Option<Launch<Kept>> {
        let facts = &code.facts;
        let context = context_bytes(facts, self.record.local_size, &self.arguments)?;
        let zeros = self.arguments.context.as_ref().map(|context| context.begins_as_zeros());
        // Local memory lies before the state.
        let zeroed = if zeros.is_some_and(|zeros| zeros.local) { self.record.state_offset } else { 0 };
        let has_services = facts.prints || facts.style.fiber > 0;
        let keep = (Arc::clone(&self.kernel), Arc::clone(&self.arguments));
        let entry = (code.entry, Order::new(facts.style, DeviceCaps::host().cpu.caches.second));
        // SAFETY: the entry comes from the image together with its facts, the argument block was laid out for it (a kernel's
        // code has the local memory that its plan said), and the launch keeps kernel (with image and variables) and arguments
        // alive.
        let launch = unsafe { Launch::new(entry, self.record.clone(), context, facts.stack_bytes, keep) };
        let launch = launch?.zeroing(zeroed);
        Some(if Config::get().check_stacks { launch.watched(has_services) } else { launch })
    }

    fn tell(&self, why: &str) {
        let message = format!("kernel {} cannot be run: {why}", self.kernel.name);
        match &self.arguments.context {
            Some(context) => context.notify(&message),
            None => log(&message),
        }
    }
}

impl Job for CpuLaunch {
    fn units(&self) -> u64 {
        self.groups
    }

    fn cost(&self) -> Option<u64> {
        self.kernel.cost.estimate(self.steps())
    }

    /// Work-items, counting the last groups as full.
    fn steps(&self) -> u64 {
        self.groups.saturating_mul(self.group_items())
    }

    fn run(&self, units: Range<u64>, seat: &mut Seat) -> Result<(), Failed> {
        let result = self.ready().ok_or(Failed)?.run(units, seat);
        if self.kernel.code().is_ok_and(|code| code.facts.prints) {
            services::flush();
        }
        result
    }

    fn wants_sample(&self) -> bool {
        self.kernel.cost.due()
    }

    fn sampled(&self, units: u64, nanoseconds: u64) {
        self.kernel.cost.sample(units.saturating_mul(self.group_items()), nanoseconds);
    }
}
