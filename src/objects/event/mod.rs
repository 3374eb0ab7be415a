//! Events. A command is its event: one allocation holds status, dependencies and work.
//!
//! A command runs when its gate opens: when everything it waits for has ended, and it was flushed or a thread that
//! waits for it takes it. It ends exactly once, in `settle`; all that follows from an end is done there, in a loop, not
//! by recursion, for chains of commands are as long as an application likes.

mod few;
mod info;
mod run;
mod settle;
#[cfg(test)]
mod tests;
mod wait;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use std::thread::Thread;

use khronos_headers as cl;
use oxicl_device::{Pending, Waiter};
use oxicl_schedule::{Foreign, Gate, Job, Task, fork, now};
use parking_lot::Mutex;

use crate::command::{Direct, Work};
use crate::context::Context;
use crate::queue::Queue;
use crate::{ApiError, HandleCell};
use few::Few;
use run::Run;
pub(crate) use settle::Settle;
pub use wait::wait_for_all;

/// A callback of the application: gets the status.
pub type Callback = Box<dyn FnOnce(i32) -> Foreign + Send>;

/// Where an event comes from.
enum Owner {
    /// A command.
    Queue(Arc<Queue>),
    /// A user event.
    Context(Arc<Context>),
}

/// An event, and the command that it belongs to.
pub struct Event {
    /// The application's handle.
    pub handle: HandleCell,
    owner: Owner,
    kind: cl::cl_command_type,
    /// The process that it was made in: a command in flight does not survive `fork`.
    generation: u32,
    gate: Gate,
    /// `CL_QUEUED` down to `CL_COMPLETE`, or a negative error. Below `CL_RUNNING` it is final, and set under `state`.
    status: AtomicI32,
    /// An event of its wait list failed.
    poisoned: AtomicBool,
    /// Its work could not be run.
    failed: AtomicBool,
    /// Its task may be run. Between the opening of the gate and this, whoever opened it finds out whether there is a task, and
    /// whether it is to run at all: nobody else may take units of it meanwhile.
    begun: AtomicBool,
    /// The code that it waits for comes first already.
    hastened: AtomicBool,
    /// Callbacks are registered; saves looking.
    has_callbacks: AtomicBool,
    task: Task<Arc<dyn Job>>,
    times: Times,
    state: Mutex<State>,
}

/// Nanoseconds of the scheduler's clock; 0 while unknown. Kept for queues with profiling.
#[derive(Default)]
struct Times {
    queued: AtomicU64,
    submit: AtomicU64,
    start: AtomicU64,
    end: AtomicU64,
}

struct State {
    direct: Direct,
    /// The execution of a command buffer, from start to end.
    run: Option<Arc<Run>>,
    /// What blocks it; emptied when it starts.
    waits_for: Few<Arc<Event>>,
    /// Code that it has to wait for; emptied when it starts.
    code: Few<Arc<dyn Pending>>,
    /// What it blocks; emptied when it ends.
    blocks: Few<Dependant>,
    callbacks: Vec<(i32, Callback)>,
    /// Threads that sleep until it ends.
    sleepers: Vec<Thread>,
}

/// A command that waits for another.
struct Dependant {
    event: Arc<Event>,
    /// It fails if the other fails: the other is in its wait list. Mere order in a queue does not pass errors on.
    strict: bool,
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let status = self.status.load(Ordering::Relaxed);
        write!(f, "Event of type {:#x}, status {status}, {:?}", self.kind, self.gate.state())
    }
}

impl Event {
    fn new(owner: Owner, kind: cl::cl_command_type, status: i32, direct: Direct, task: Task<Arc<dyn Job>>) -> Event {
        Event {
            handle: HandleCell::new(),
            owner,
            kind,
            generation: fork::generation(),
            gate: Gate::new(),
            status: AtomicI32::new(status),
            poisoned: AtomicBool::new(false),
            failed: AtomicBool::new(false),
            begun: AtomicBool::new(false),
            hastened: AtomicBool::new(false),
            has_callbacks: AtomicBool::new(false),
            task,
            times: Times::default(),
            state: Mutex::new(State {
                direct,
                run: None,
                waits_for: Few::default(),
                code: Few::default(),
                blocks: Few::default(),
                callbacks: Vec::new(),
                sleepers: Vec::new(),
            }),
        }
    }

    /// The event of a command that is about to enter a queue. Its gate is blocked until [`Event::armed`].
    pub(crate) fn command(queue: &Arc<Queue>, kind: cl::cl_command_type, work: Work) -> Arc<Event> {
        let (pooled, direct) = work.split();
        let task = Task::new(pooled, queue.device.slots);
        let event = Event::new(Owner::Queue(queue.clone()), kind, cl::CL_QUEUED, direct, task);
        event.mark(&event.times.queued);
        Arc::new(event)
    }

    /// `clCreateUserEvent`: "the execution status of the user event object created is set to CL_SUBMITTED". Its gate
    /// never opens.
    pub fn user(context: &Arc<Context>) -> Arc<Event> {
        let task = Task::new(None, oxicl_schedule::WorkerSlots::all());
        let owner = Owner::Context(context.clone());
        Arc::new(Event::new(owner, cl::CL_COMMAND_USER, cl::CL_SUBMITTED, Direct::Nothing, task))
    }

    /// The context.
    pub fn context(&self) -> &Arc<Context> {
        match &self.owner {
            Owner::Queue(queue) => &queue.context,
            Owner::Context(context) => context,
        }
    }

    fn queue(&self) -> Option<&Arc<Queue>> {
        match &self.owner {
            Owner::Queue(queue) => Some(queue),
            Owner::Context(_) => None,
        }
    }

    fn is_user(&self) -> bool {
        matches!(self.owner, Owner::Context(_))
    }

    /// Records the time if the queue wants profiling, unless another thread has.
    fn mark(&self, time: &AtomicU64) {
        if self.queue().is_some_and(|queue| queue.profiles()) {
            _ = time.compare_exchange(0, now(), Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    /// The final status, if it has ended.
    pub(crate) fn ended(&self) -> Option<i32> {
        let status = self.status.load(Ordering::Acquire);
        (status <= cl::CL_COMPLETE).then_some(status)
    }

    /// A command that was in flight in the process of which this is a child never ends by itself: it ends here, as
    /// failed.
    pub(crate) fn bury(self: &Arc<Self>) {
        if self.generation != fork::generation() && !self.is_user() && self.ended().is_none() {
            let mut settle = Settle::default();
            settle.end(self.clone(), ApiError::OutOfResources.code());
            settle.submit();
        }
    }

    /// Makes it wait for another event. Only before the last [`Event::armed`].
    pub(crate) fn wait_for(self: &Arc<Self>, other: &Arc<Event>, strict: bool) {
        other.bury();
        {
            let mut state = other.state.lock();
            if let Some(status) = other.ended() {
                if strict && status < 0 {
                    self.poisoned.store(true, Ordering::Relaxed);
                }
                return;
            }
            self.gate.block();
            state.blocks.push(Dependant { event: self.clone(), strict });
        }
        self.state.lock().waits_for.push(other.clone());
    }

    /// Makes it wait for code. Only before the last [`Event::armed`].
    pub(crate) fn wait_for_code(self: &Arc<Self>, code: Arc<dyn Pending>) {
        code.hold(Arc::clone(self) as Arc<dyn Waiter>);
        self.state.lock().code.push(code);
    }

    /// Blocks it until [`Event::armed`] is called once more. Only before that is called for the first time.
    pub(crate) fn block(&self) {
        self.gate.block();
    }

    /// Everything that it waits for is known now.
    pub(crate) fn armed(self: &Arc<Self>) {
        if self.gate.unblock() {
            let mut settle = Settle::default();
            settle.start(self.clone());
            settle.submit();
        }
    }

    /// Whether it is held back for want of a flush.
    pub(crate) fn is_held(&self) -> bool {
        self.gate.is_held()
    }

    /// Lets it go, and what it waits for in whatever queue: waiting for something that nobody flushed would be for ever.
    pub(crate) fn release(self: &Arc<Self>, settle: &mut Settle) {
        let mut stack = vec![self.clone()];
        while let Some(event) = stack.pop() {
            if event.is_user() || !event.is_held() {
                continue;
            }
            stack.extend(event.state.lock().waits_for.iter().filter(|other| other.is_held()).cloned());
            event.advance(cl::CL_SUBMITTED);
            if event.gate.release() {
                settle.start(event);
            }
        }
    }

    /// Moves the status on, unless it is there already; records the time and calls callbacks. The time comes first: who
    /// finds the status moved on may end the command before this thread goes on.
    fn advance(&self, to: i32) {
        let mut status = self.status.load(Ordering::Acquire);
        if status <= to {
            return;
        }
        self.mark(if to == cl::CL_RUNNING { &self.times.start } else { &self.times.submit });
        // SeqCst here and in `set_callback`: either we see its callback, or it sees our status.
        while let Err(seen) = self.status.compare_exchange_weak(status, to, Ordering::SeqCst, Ordering::Acquire) {
            if seen <= to {
                return;
            }
            status = seen;
        }
        if self.has_callbacks.load(Ordering::SeqCst) {
            self.call_back(to);
        }
    }

    /// Takes the callbacks that are due at a status.
    fn call_back(&self, status: i32) {
        let mut due = Vec::new();
        {
            let mut state = self.state.lock();
            let mut index = 0;
            while let Some((wanted, _)) = state.callbacks.get(index) {
                if status <= *wanted {
                    due.push(state.callbacks.swap_remove(index));
                } else {
                    index += 1;
                }
            }
        }
        // Later stages come later.
        due.sort_by_key(|(wanted, _)| -*wanted);
        for (wanted, callback) in due {
            let reported = if status < 0 { status } else { wanted };
            oxicl_schedule::post_callback(callback(reported));
        }
    }

    /// `clSetEventCallback`.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` if the type is not one of the three that can be waited for.
    pub fn set_callback(self: &Arc<Self>, wanted: i32, callback: Callback) -> Result<(), ApiError> {
        if ![cl::CL_SUBMITTED, cl::CL_RUNNING, cl::CL_COMPLETE].contains(&wanted) {
            return Err(
                ApiError::InvalidValue.because("callbacks come when a command is submitted, running or complete")
            );
        }
        self.bury();
        {
            let mut state = self.state.lock();
            state.callbacks.push((wanted, callback));
            self.has_callbacks.store(true, Ordering::SeqCst);
        }
        // It may have got there already.
        self.call_back(self.status.load(Ordering::SeqCst));
        // An application that waits for its callback does not always flush.
        if let Some(queue) = self.queue()
            && self.is_held()
        {
            queue.flush();
        }
        Ok(())
    }

    /// `clSetUserEventStatus`: "CL_INVALID_VALUE if the execution_status is not CL_COMPLETE or a negative integer value",
    /// "CL_INVALID_OPERATION if the execution_status for event has already been changed".
    ///
    /// # Errors
    /// As said, and `CL_INVALID_EVENT` if it is not a user event.
    pub fn set_user_status(self: &Arc<Self>, status: i32) -> Result<(), ApiError> {
        if !self.is_user() {
            return Err(ApiError::InvalidEvent);
        }
        if status > cl::CL_COMPLETE {
            return Err(ApiError::InvalidValue.because("a status is CL_COMPLETE or negative"));
        }
        let mut settle = Settle::default();
        let first = settle.end(self.clone(), status);
        settle.submit();
        if first { Ok(()) } else { Err(ApiError::InvalidOperation.because("the event has its status already")) }
    }
}

impl Waiter for Event {
    fn block(&self) {
        Event::block(self);
    }

    fn armed(self: Arc<Self>) {
        Event::armed(&self);
    }
}
