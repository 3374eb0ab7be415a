//! Kernels of the CPU, and their launches.
#![allow(unsafe_code, reason = "vouches for compiled code, which the scheduler cannot check")]

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use oxicl_abi::{KernelFacts, LaunchRecord};
use oxicl_caps::config::Config;
use oxicl_caps::{CONTEXT_LIMIT, DeviceCaps};
use oxicl_device::ApiError;
use oxicl_device::log;
use oxicl_device::{Arguments, DeviceKernel, NdRange, Pending, Variables};
use oxicl_schedule::{Failed, Job, Launch, Order, Seat};

use super::code::{Code, CpuKernel};
use super::services;

/// The block of program-scope variables of a program on a device.
pub trait ProgramMemory: Send + Sync {
    /// Its address; 0 if the program has no such variables.
    fn address(&self) -> u64;
}

impl ProgramMemory for Variables {
    fn address(&self) -> u64 {
        Variables::address(self)
    }
}

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
        if self.is_settled() && self.failure().is_none() {
            return match CpuLaunch::new(self, arguments, record) {
                Ok(launch) => Ok(Arc::new(launch)),
                Err(why) => Err(ApiError::OutOfResources.because(why)),
            };
        }
        context_bytes(facts, range.local, &arguments).ok_or(ApiError::OutOfResources)?;
        let groups = record.groups().ok_or(ApiError::OutOfResources)?;
        Ok(Arc::new(EarlyLaunch { kernel: self, arguments, record, groups, launch: OnceLock::new() }))
    }
}

/// The context block that a work-group takes, in bytes, if it may be so large.
fn context_bytes(facts: &KernelFacts, local: [u64; 3], arguments: &Arguments) -> Option<u64> {
    facts.context_bytes(local, arguments.dynamic_local).filter(|bytes| *bytes <= CONTEXT_LIMIT)
}

/// What a launch keeps alive: code and program-scope variables, arguments.
type Kept = (Arc<CpuKernel>, Arc<Arguments>);

/// A launch of a CPU kernel whose code is there: the units are work-groups.
struct CpuLaunch(Launch<Kept>);

impl CpuLaunch {
    /// The launch.
    ///
    /// # Errors
    /// Why it cannot be run.
    fn new(kernel: Arc<CpuKernel>, arguments: Arc<Arguments>, record: LaunchRecord) -> Result<Self, String> {
        let Code { entry, facts, .. } = kernel.code()?;
        let no_room = || "there is no room for what its work-groups keep".to_owned();
        let context = context_bytes(facts, record.local_size, &arguments).ok_or_else(no_room)?;
        let zeroes = arguments.context.as_ref().is_some_and(|context| context.zeroes_local_memory());
        // Local memory lies before the state.
        let zeroed = if zeroes { record.state_offset } else { 0 };
        let has_services = facts.prints || facts.style.fiber > 0;
        let entry = (*entry, Order::new(facts.style, DeviceCaps::host().cpu.caches.second));
        let stack = facts.stack_bytes;
        // SAFETY: the entry comes from the image together with its facts, the argument block was laid out for it (a kernel's
        // code has the local memory that its plan said), and the launch keeps kernel (with image and variables) and arguments
        // alive.
        let launch = unsafe { Launch::new(entry, record, context, stack, (kernel, arguments)) };
        let launch = launch.ok_or_else(|| "it has too many work-groups".to_owned())?.zeroing(zeroed);
        Ok(CpuLaunch(if Config::get().check_stacks { launch.watched(has_services) } else { launch }))
    }

    fn kernel(&self) -> &CpuKernel {
        &self.0.keep().0
    }
}

impl Job for CpuLaunch {
    fn units(&self) -> u64 {
        self.0.groups()
    }

    fn cost(&self) -> Option<u64> {
        self.kernel().cost.estimate(self.steps())
    }

    /// Work-items, counting the last groups as full.
    fn steps(&self) -> u64 {
        self.0.groups().saturating_mul(self.0.group_items())
    }

    fn run(&self, units: Range<u64>, seat: &mut Seat) -> Result<(), Failed> {
        let result = self.0.run(units, seat);
        if self.kernel().code().is_ok_and(|code| code.facts.prints) {
            oxicl_device::flush();
        }
        result
    }

    fn wants_sample(&self) -> bool {
        self.kernel().cost.due()
    }

    fn sampled(&self, units: u64, nanoseconds: u64) {
        self.kernel().cost.sample(units.saturating_mul(self.0.group_items()), nanoseconds);
    }
}

/// A launch that was enqueued before there was code, which is there when it runs.
struct EarlyLaunch {
    kernel: Arc<CpuKernel>,
    arguments: Arc<Arguments>,
    record: LaunchRecord,
    groups: u64,
    /// With the code; none if it cannot be run.
    launch: OnceLock<Option<CpuLaunch>>,
}

impl EarlyLaunch {
    /// The launch, now that there is code. Who asks first says why there is none.
    fn ready(&self) -> Option<&CpuLaunch> {
        let make = || {
            let launch = CpuLaunch::new(Arc::clone(&self.kernel), Arc::clone(&self.arguments), self.record.clone());
            launch.map_err(|why| self.tell(&why)).ok()
        };
        self.launch.get_or_init(make).as_ref()
    }

    fn tell(&self, why: &str) {
        let message = format!("kernel {} cannot be run: {why}", self.kernel.name);
        match &self.arguments.context {
            Some(context) => context.notify(&message),
            None => log(&message),
        }
    }
}

impl Job for EarlyLaunch {
    fn units(&self) -> u64 {
        self.groups
    }

    fn cost(&self) -> Option<u64> {
        self.kernel.cost.estimate(self.steps())
    }

    fn steps(&self) -> u64 {
        self.groups.saturating_mul(self.record.group_items())
    }

    fn run(&self, units: Range<u64>, seat: &mut Seat) -> Result<(), Failed> {
        self.ready().ok_or(Failed)?.run(units, seat)
    }

    fn wants_sample(&self) -> bool {
        self.kernel.cost.due()
    }

    fn sampled(&self, units: u64, nanoseconds: u64) {
        if let Some(launch) = self.ready() {
            launch.sampled(units, nanoseconds);
        }
    }
}
