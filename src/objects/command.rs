//! What an enqueued command does when its turn comes.

use std::fmt;

use oxicl_schedule::Job;

use crate::ApiError;

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
    /// A native kernel, on a thread for those.
    Native(Native),
}

/// The part of [`Work`] that is not for the pool.
pub(crate) enum Direct {
    Nothing,
    Inline(Inline),
    Native(Native),
}

impl Work {
    /// How long it will take, in nanoseconds on one thread. A guess where nothing is known, on the high side: a kernel
    /// that never ran is more likely worth a thread than not.
    pub(crate) fn expected_nanoseconds(&self) -> u64 {
        const UNKNOWN_STEP: u64 = 10;
        match self {
            Work::Nothing | Work::Inline(_) => 0,
            Work::Native(_) => u64::MAX,
            Work::Job(job) => job.cost().unwrap_or_else(|| job.steps().saturating_mul(UNKNOWN_STEP)),
        }
    }

    /// What the pool does, or else what is done directly.
    pub(crate) fn split(self) -> (Option<Box<dyn Job>>, Direct) {
        match self {
            Work::Nothing => (None, Direct::Nothing),
            Work::Inline(inline) => (None, Direct::Inline(inline)),
            Work::Native(native) => (None, Direct::Native(native)),
            // A job without units would never end.
            Work::Job(job) if job.units() == 0 => (None, Direct::Nothing),
            Work::Job(job) => (Some(job), Direct::Nothing),
        }
    }
}

impl fmt::Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Work::Nothing => "Nothing",
            Work::Inline(_) => "Inline",
            Work::Job(_) => "Job",
            Work::Native(_) => "Native",
        })
    }
}
