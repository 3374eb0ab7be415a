//! Kernels of the CPU, and their launches.
#![allow(unsafe_code, reason = "vouches for compiled code, which the scheduler cannot check")]

use std::ops::Range;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use oxicl_abi::{KernelFacts, LaunchRecord};
use oxicl_caps::config::Config;
use oxicl_caps::{CONTEXT_LIMIT, DeviceCaps};
use oxicl_device::{
    ApiError, Arguments, DeviceKernel, NdRange, Pending, Variables, end_streams, is_worth_streaming, log,
};
use oxicl_schedule::{Failed, Job, Launch, Order, WorkerSlot};

use super::code::CpuKernel;
use super::product::{Code, Form, Which};
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
        match self.form_for(range, &arguments) {
            Some((Form { turned: true, .. }, form)) => Arc::clone(form).launch_as_it_is(&range.turned(), arguments),
            Some((_, form)) => Arc::clone(form).launch_as_it_is(range, arguments),
            None => self.launch_as_it_is(range, arguments),
        }
    }
}

impl CpuKernel {
    /// A launch of this kernel by its own code, whichever form that is.
    fn launch_as_it_is(self: Arc<Self>, range: &NdRange, arguments: Arc<Arguments>) -> Result<Arc<dyn Job>, ApiError> {
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
            streams: 0,
        };
        if self.last().is_some() {
            let launch = CpuLaunch::new(self, Which::Last, None, arguments, record);
            return Ok(Arc::new(launch.map_err(|why| ApiError::OutOfResources.because(why))?));
        }
        context_bytes(facts, range.local, &arguments).ok_or(ApiError::OutOfResources)?;
        let groups = record.groups().ok_or(ApiError::OutOfResources)?;
        Ok(Arc::new(TieredLaunch::new(self, arguments, record, groups)))
    }
}

/// The size of the context block for a work-group, in bytes; none if that is above the limit.
fn context_bytes(facts: &KernelFacts, local: [u64; 3], arguments: &Arguments) -> Option<u64> {
    facts.context_bytes(local, arguments.dynamic_local).filter(|bytes| *bytes <= CONTEXT_LIMIT)
}

/// What a launch keeps alive: code and program-scope variables, arguments.
type Kept = (Arc<CpuKernel>, Arc<Arguments>);

/// A launch of one code of a CPU kernel: the units are work-groups.
struct CpuLaunch {
    launch: Launch<Kept>,
    which: Which,
    /// What it prints is flushed after each range of work-groups.
    prints: bool,
    /// It writes with streaming stores, which other threads see after a fence only.
    streams: bool,
}

impl CpuLaunch {
    /// Makes the launch. If other code `began` it, work-groups are numbered as in the order of that code.
    ///
    /// # Errors
    /// Why it cannot be run.
    fn new(
        kernel: Arc<CpuKernel>,
        which: Which,
        began: Option<Order>,
        arguments: Arc<Arguments>,
        mut record: LaunchRecord,
    ) -> Result<Self, String> {
        let Code { entry, facts, .. } = kernel.code(which)?;
        let touched = record.items().saturating_mul(u64::from(facts.streamed_bytes));
        let streams = is_worth_streaming(touched);
        record.streams = if streams { u64::MAX } else { 0 };
        let order = Order::new(facts.style, DeviceCaps::host().cpu.caches.second);
        let order = began.map_or(order, |began| order.numbered_as(began));
        let no_room = || "there is no room for what its work-groups keep".to_owned();
        let context = context_bytes(facts, record.local_size, &arguments).ok_or_else(no_room)?;
        let zeroes = arguments.context.as_ref().is_some_and(|context| context.zeroes_local_memory());
        // Local memory lies before the state.
        let zeroed = if zeroes { record.state_offset } else { 0 };
        let prints = facts.prints;
        let has_services = prints || facts.style.fiber > 0;
        let entry = (*entry, order);
        let stack = facts.stack_bytes;
        // SAFETY: the entry comes from the image together with its facts, the argument block was laid out for it (a
        // kernel's code has the local memory that its plan said), and the launch keeps kernel (with its images and
        // variables) and arguments alive.
        let launch = unsafe { Launch::new(entry, record, context, stack, (kernel, arguments)) };
        let launch = launch.ok_or_else(|| "it has too many work-groups".to_owned())?.zeroing(zeroed);
        let launch = if Config::get().check_stacks { launch.watched(has_services) } else { launch };
        Ok(CpuLaunch { launch, which, prints, streams })
    }

    fn code(&self) -> Option<&Code> {
        self.launch.keep().0.present(self.which)
    }
}

impl Job for CpuLaunch {
    fn units(&self) -> u64 {
        self.launch.groups()
    }

    fn cost(&self) -> Option<u64> {
        self.code()?.cost.estimate(self.steps())
    }

    /// Work-items, counting the last groups as full.
    fn steps(&self) -> u64 {
        self.launch.groups().saturating_mul(self.launch.group_items())
    }

    fn run(&self, units: Range<u64>, slot: &mut WorkerSlot) -> Result<(), Failed> {
        let result = self.launch.run(units, slot);
        if self.streams {
            end_streams();
        }
        if self.prints {
            oxicl_device::flush();
        }
        result
    }

    fn wants_sample(&self) -> bool {
        self.code().is_some_and(|code| code.cost.due())
    }

    fn sampled(&self, units: u64, nanoseconds: u64) {
        if let Some(code) = self.code() {
            code.cost.sample(units.saturating_mul(self.launch.group_items()), nanoseconds);
        }
    }
}

/// A launch that was enqueued before the kernel had its last code, or any: each range of work-groups is run by the best
/// code there is then.
struct TieredLaunch {
    kernel: Arc<CpuKernel>,
    arguments: Arc<Arguments>,
    record: LaunchRecord,
    groups: u64,
    /// The launch by the code that was there when it was first run; none if it cannot be run.
    first: OnceLock<Option<CpuLaunch>>,
    /// The launch by the code that takes over; none if that cannot run it.
    last: OnceLock<Option<CpuLaunch>>,
    /// What replaces a recorded launch once the kernel has its last code; none if that cannot run it.
    successor: OnceLock<Option<Arc<dyn Job>>>,
}

/// Work-items of the first range of work-groups after which better code may take over. A cost: that many take a
/// microsecond or more.
const FIRST_RANGE: u64 = 1 << 12;

/// How long later ranges are to take, in nanoseconds; they grow or shrink as measured. A cost: a thousand times what it
/// takes to ask for better code.
const RANGE_TIME: u64 = 500_000;

impl TieredLaunch {
    fn new(kernel: Arc<CpuKernel>, arguments: Arc<Arguments>, record: LaunchRecord, groups: u64) -> Self {
        let (first, last, successor) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        TieredLaunch { kernel, arguments, record, groups, first, last, successor }
    }

    /// The launch by one of the kernel's codes.
    fn by(&self, which: Which, began: Option<Order>) -> Result<CpuLaunch, String> {
        let (kernel, arguments) = (Arc::clone(&self.kernel), Arc::clone(&self.arguments));
        CpuLaunch::new(kernel, which, began, arguments, self.record.clone())
    }

    /// The launch by the code with which it begins, now that there is some. The first call reports why there is none.
    fn first(&self) -> Option<&CpuLaunch> {
        let make = || {
            let which = if self.kernel.last().is_some() { Which::Last } else { Which::First };
            self.by(which, None).map_err(|why| self.tell(&why)).ok()
        };
        self.first.get_or_init(make).as_ref()
    }

    /// The launch by better code than the first, if there is some, for the work-groups from `at` on.
    fn last(&self, first: &CpuLaunch, at: u64) -> Option<&CpuLaunch> {
        self.kernel.last()?;
        let make = || {
            if at > 0 {
                let (name, groups) = (&self.kernel.name, self.groups);
                log(&format!("kernel {name}: other code takes over at work-group {at} of {groups}"));
            }
            self.by(Which::Last, Some(first.launch.order())).ok()
        };
        self.last.get_or_init(make).as_ref()
    }

    /// The launch by the best code so far.
    fn best(&self) -> Option<&CpuLaunch> {
        self.last.get().and_then(Option::as_ref).or_else(|| self.first.get()?.as_ref())
    }

    /// Runs work-groups by the first code, range after range, until better code is there, and then by that.
    fn run_until_better(&self, units: Range<u64>, first: &CpuLaunch, slot: &mut WorkerSlot) -> Result<(), Failed> {
        let mut at = units.start;
        let mut count = (FIRST_RANGE / self.record.group_items().max(1)).max(1);
        while at < units.end {
            if let Some(last) = self.last(first, at) {
                return last.run(at..units.end, slot);
            }
            let end = at.saturating_add(count).min(units.end);
            let begun = Instant::now();
            first.run(at..end, slot)?;
            let nanoseconds = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
            self.kernel.ran_for(nanoseconds);
            count = match nanoseconds {
                short if short < RANGE_TIME / 2 => count.saturating_mul(2),
                long if long > RANGE_TIME * 2 => (count / 2).max(1),
                _ => count,
            };
            at = end;
        }
        Ok(())
    }

    fn tell(&self, why: &str) {
        let message = format!("kernel {} cannot be run: {why}", self.kernel.name);
        match &self.arguments.context {
            Some(context) => context.notify(&message),
            None => log(&message),
        }
    }
}

impl Job for TieredLaunch {
    fn units(&self) -> u64 {
        self.groups
    }

    fn cost(&self) -> Option<u64> {
        let cost = |which| self.kernel.present(which)?.cost.estimate(self.steps());
        cost(Which::Last).or_else(|| cost(Which::First))
    }

    fn steps(&self) -> u64 {
        self.groups.saturating_mul(self.record.group_items())
    }

    fn run(&self, units: Range<u64>, slot: &mut WorkerSlot) -> Result<(), Failed> {
        let first = self.first().ok_or(Failed)?;
        if first.which == Which::Last {
            return first.run(units, slot);
        }
        if units.start == 0 && self.kernel.last().is_none() {
            self.kernel.begins();
        }
        self.run_until_better(units, first, slot)
    }

    fn wants_sample(&self) -> bool {
        self.best().is_none_or(CpuLaunch::wants_sample)
    }

    fn sampled(&self, units: u64, nanoseconds: u64) {
        if let Some(launch) = self.best() {
            launch.sampled(units, nanoseconds);
        }
    }

    /// An execution that begins now runs its work-groups in the order of the last code, and joins as many as that code
    /// can.
    fn successor(&self) -> Option<Arc<dyn Job>> {
        self.kernel.last()?;
        let make = || {
            log(&format!("kernel {}: a launch that was recorded has other code from now on", self.kernel.name));
            Some(Arc::new(self.by(Which::Last, None).ok()?) as Arc<dyn Job>)
        };
        self.successor.get_or_init(make).clone()
    }
}
