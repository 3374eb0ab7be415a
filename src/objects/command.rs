//! What an enqueued command does when its turn comes.

use std::fmt;
use std::ops::Range;

use oxicl_schedule::{Failed, Job, Seat};

use crate::ApiError;
use crate::cpu::CpuLaunch;

/// A short closure; it must not block.
pub type Inline = Box<dyn FnOnce() -> Result<(), ApiError> + Send>;
/// A function of the application.
pub type Native = Box<dyn FnOnce() + Send>;

/// The work of a command.
pub enum Work {
    /// Nothing: the command ends as soon as what it waits for has ended.
    Nothing,
    /// Something short, done at once by the thread that finds the command ready.
    Inline(Inline),
    /// Something that divides into units, done by worker threads and by threads that wait for it.
    Job(Box<dyn Job>),
    /// A kernel on the CPU: a job too, without an allocation of its own.
    Kernel(CpuLaunch),
    /// A native kernel, on a thread for those.
    Native(Native),
}

/// The part of [`Work`] that is not for the pool.
pub(crate) enum Direct {
    Nothing,
    Inline(Inline),
    Native(Native),
}

/// The part of [`Work`] that is for the pool.
pub(crate) enum Pooled {
    Kernel(CpuLaunch),
    Job(Box<dyn Job>),
}

impl Work {
    /// How long it will take, in nanoseconds on one thread. A guess where nothing is known, on the high side: a kernel
    /// that never ran is more likely worth a thread than not.
    pub(crate) fn expected_nanoseconds(&self) -> u64 {
        const UNKNOWN_ITEM: u64 = 10;
        match self {
            Work::Nothing | Work::Inline(_) => 0,
            Work::Native(_) => u64::MAX,
            Work::Job(job) => job.cost().unwrap_or_else(|| job.units().saturating_mul(UNKNOWN_ITEM)),
            Work::Kernel(launch) => launch.cost().unwrap_or_else(|| launch.items().saturating_mul(UNKNOWN_ITEM)),
        }
    }

    /// What the pool does, or else what is done directly.
    pub(crate) fn split(self) -> (Option<Pooled>, Direct) {
        match self {
            Work::Nothing => (None, Direct::Nothing),
            Work::Inline(inline) => (None, Direct::Inline(inline)),
            Work::Native(native) => (None, Direct::Native(native)),
            // A job without units would never end.
            Work::Job(job) if job.units() == 0 => (None, Direct::Nothing),
            Work::Job(job) => (Some(Pooled::Job(job)), Direct::Nothing),
            Work::Kernel(launch) if launch.units() == 0 => (None, Direct::Nothing),
            Work::Kernel(launch) => (Some(Pooled::Kernel(launch)), Direct::Nothing),
        }
    }
}

impl fmt::Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Work::Nothing => "Nothing",
            Work::Inline(_) => "Inline",
            Work::Job(_) => "Job",
            Work::Kernel(_) => "Kernel",
            Work::Native(_) => "Native",
        })
    }
}

impl Job for Pooled {
    fn units(&self) -> u64 {
        match self {
            Pooled::Kernel(launch) => launch.units(),
            Pooled::Job(job) => job.units(),
        }
    }

    fn grain(&self) -> u64 {
        match self {
            Pooled::Kernel(launch) => launch.grain(),
            Pooled::Job(job) => job.grain(),
        }
    }

    fn cost(&self) -> Option<u64> {
        match self {
            Pooled::Kernel(launch) => launch.cost(),
            Pooled::Job(job) => job.cost(),
        }
    }

    fn run(&self, units: Range<u64>, seat: &mut Seat) -> Result<(), Failed> {
        match self {
            Pooled::Kernel(launch) => launch.run(units, seat),
            Pooled::Job(job) => job.run(units, seat),
        }
    }

    fn wants_sample(&self) -> bool {
        match self {
            Pooled::Kernel(launch) => launch.wants_sample(),
            Pooled::Job(job) => job.wants_sample(),
        }
    }

    fn sampled(&self, units: u64, nanoseconds: u64) {
        match self {
            Pooled::Kernel(launch) => launch.sampled(units, nanoseconds),
            Pooled::Job(job) => job.sampled(units, nanoseconds),
        }
    }

    fn finish(&self) {
        match self {
            Pooled::Kernel(launch) => launch.finish(),
            Pooled::Job(job) => job.finish(),
        }
    }
}
