//! What a command does when its turn comes.

use std::fmt;
use std::sync::Arc;

use oxicl_device::Pending;
use oxicl_schedule::{Foreign, Job};

use crate::ApiError;
use crate::command_buffer::Graph;

/// A short closure; it must not block.
pub type Inline = Box<dyn FnOnce() -> Result<(), ApiError> + Send>;
/// The same, any number of times.
pub type Short = Arc<dyn Fn() + Send + Sync>;
/// A function of the application.
pub type Native = Foreign;

/// Work that can be done any number of times, also at the same time: what the arguments of a copy, a fill or a launch
/// amount to. A queue does it once, a command buffer whenever it is enqueued.
#[derive(Clone)]
pub enum Action {
    /// Nothing.
    Nothing,
    /// Something short.
    Short(Short),
    /// Something that divides into units.
    Job(Arc<dyn Job>),
    /// The same, with code that it has to wait for.
    Launch(Arc<dyn Job>, Arc<dyn Pending>),
}

/// The work of a command.
pub enum Work {
    /// Nothing: the command ends as soon as what it waits for has ended.
    Nothing,
    /// Something short, done at once by the thread that finds the command ready.
    Inline(Inline),
    /// Something short that can be done again.
    Short(Short),
    /// Something that divides into units, done by worker threads and by threads that wait for it.
    Job(Arc<dyn Job>),
    /// The same, with code that it has to wait for.
    Launch(Arc<dyn Job>, Arc<dyn Pending>),
    /// A native kernel, on a thread for those.
    Native(Native),
    /// The commands of a command buffer.
    Graph(Arc<Graph>),
}

/// The part of [`Work`] that is not for the pool.
pub(crate) enum Direct {
    Nothing,
    Inline(Inline),
    Short(Short),
    Native(Native),
    Graph(Arc<Graph>),
}

/// How long one step is taken to last, in nanoseconds, where nothing is known. On the high side: a kernel that never ran
/// is more likely worth a thread than not.
const UNKNOWN_STEP: u64 = 10;

/// How long a job will take, in nanoseconds on one thread.
fn expected_nanoseconds(job: &dyn Job) -> u64 {
    job.cost().unwrap_or_else(|| job.steps().saturating_mul(UNKNOWN_STEP))
}

impl Action {
    /// How long it will take, in nanoseconds on one thread.
    pub(crate) fn expected_nanoseconds(&self) -> u64 {
        match self {
            Action::Nothing | Action::Short(_) => 0,
            Action::Job(job) | Action::Launch(job, _) => expected_nanoseconds(&**job),
        }
    }
}

impl From<Action> for Work {
    fn from(action: Action) -> Work {
        match action {
            Action::Nothing => Work::Nothing,
            Action::Short(short) => Work::Short(short),
            Action::Job(job) => Work::Job(job),
            Action::Launch(job, code) => Work::Launch(job, code),
        }
    }
}

impl Work {
    /// How long it will take, in nanoseconds on one thread.
    pub(crate) fn expected_nanoseconds(&self) -> u64 {
        match self {
            Work::Nothing | Work::Inline(_) | Work::Short(_) => 0,
            Work::Native(_) => u64::MAX,
            Work::Job(job) | Work::Launch(job, _) => expected_nanoseconds(&**job),
            Work::Graph(graph) => graph.expected_nanoseconds(),
        }
    }

    /// The code that it has to wait for.
    pub(crate) fn pending(&self) -> Vec<Arc<dyn Pending>> {
        match self {
            Work::Launch(_, code) => vec![Arc::clone(code)],
            Work::Graph(graph) => graph.pending().cloned().collect(),
            _ => Vec::new(),
        }
    }

    /// What the pool does, or else what is done directly.
    pub(crate) fn split(self) -> (Option<Arc<dyn Job>>, Direct) {
        match self {
            Work::Nothing => (None, Direct::Nothing),
            Work::Inline(inline) => (None, Direct::Inline(inline)),
            Work::Short(short) => (None, Direct::Short(short)),
            Work::Native(native) => (None, Direct::Native(native)),
            Work::Graph(graph) => (None, Direct::Graph(graph)),
            // A job without units would never end.
            Work::Job(job) | Work::Launch(job, _) if job.units() == 0 => (None, Direct::Nothing),
            Work::Job(job) | Work::Launch(job, _) => (Some(job), Direct::Nothing),
        }
    }
}

impl fmt::Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Work::Nothing => "Nothing",
            Work::Inline(_) => "Inline",
            Work::Short(_) => "Short",
            Work::Graph(_) => "Graph",
            Work::Job(_) => "Job",
            Work::Launch(..) => "Launch",
            Work::Native(_) => "Native",
        })
    }
}

impl fmt::Debug for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Action::Nothing => "Nothing",
            Action::Short(_) => "Short",
            Action::Job(_) => "Job",
            Action::Launch(..) => "Launch",
        })
    }
}
