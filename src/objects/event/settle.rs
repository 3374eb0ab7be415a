//! Starts and ends of commands, and what follows from them.

use std::mem::take;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use khronos_headers as cl;
use oxicl_schedule::{Around, Outbox, Runnable, TaskState, WorkerSlot, WorkerSlots, fork, post_native, submit};

use super::run::Run;
use super::{Dependant, Event, State};
use crate::ApiError;
use crate::command::Direct;

/// Starts and ends of events that are still to be carried through.
#[derive(Default)]
pub(crate) struct Settle {
    /// Events that end, with their status.
    ending: Vec<(Arc<Event>, i32)>,
    /// Commands for the pool. Whoever holds this runs or submits them.
    pub(crate) ready: Outbox,
}

impl Settle {
    /// The gate of `event` was opened by the caller.
    pub(crate) fn start(&mut self, event: Arc<Event>) {
        if let Some((event, status)) = self.begin(event) {
            self.end(event, status);
        }
    }

    /// `event` ends with `status`. False if it had ended before.
    pub(crate) fn end(&mut self, event: Arc<Event>, status: i32) -> bool {
        let first = self.end_one(event, status);
        while let Some((event, status)) = self.ending.pop() {
            self.end_one(event, status);
        }
        first
    }

    /// Gives everything that is ready to the pool.
    pub(crate) fn submit(&mut self) {
        for task in self.ready.drain(..) {
            submit(task);
        }
    }

    /// Starts a command. If it ends at once, it comes back with its status.
    fn begin(&mut self, event: Arc<Event>) -> Option<(Arc<Event>, i32)> {
        if event.generation != fork::generation() {
            return Some((event, ApiError::OutOfResources.code()));
        }
        // What it waited for is dropped after the lock: that may be the end of other objects.
        let (direct, _waited_for, _code) = {
            let mut state = event.state.lock();
            let direct = std::mem::replace(&mut state.direct, Direct::Nothing);
            (direct, take(&mut state.waits_for), take(&mut state.code))
        };
        event.advance(cl::CL_SUBMITTED);
        if event.poisoned.load(Ordering::Relaxed) {
            event.task.cancel();
            return Some((event, ApiError::ExecStatusErrorForEventsInWaitList.code()));
        }
        match direct {
            Direct::Nothing if event.task.state().more() => {
                event.begun.store(true, Ordering::Release);
                self.ready.push(event);
                None
            }
            Direct::Nothing => {
                event.advance(cl::CL_RUNNING);
                Some((event, cl::CL_COMPLETE))
            }
            Direct::Inline(inline) => {
                event.advance(cl::CL_RUNNING);
                let result = catch_unwind(AssertUnwindSafe(inline)).unwrap_or(Err(ApiError::OutOfResources));
                let status = result.map_or_else(|error| error.code(), |()| cl::CL_COMPLETE);
                Some((event, status))
            }
            Direct::Short(short) => {
                event.advance(cl::CL_RUNNING);
                let done = catch_unwind(AssertUnwindSafe(|| short()));
                Some((event, done.map_or(ApiError::OutOfResources.code(), |()| cl::CL_COMPLETE)))
            }
            Direct::Graph(graph) => {
                event.advance(cl::CL_RUNNING);
                Run::start(event, graph, &mut self.ready)
            }
            Direct::Native(native) => {
                post_native(native, Box::new(AroundNative(event)));
                None
            }
        }
    }

    fn end_one(&mut self, event: Arc<Event>, status: i32) -> bool {
        event.mark(&event.times.end);
        let (blocks, sleepers, _waited_for, _code, _run) = {
            let mut state = event.state.lock();
            if event.ended().is_some() {
                return false;
            }
            event.status.store(status, Ordering::Release);
            let State { blocks, sleepers, waits_for, code, run, .. } = &mut *state;
            (take(blocks), take(sleepers), take(waits_for), take(code), run.take())
        };
        for thread in sleepers {
            thread.unpark();
        }
        if event.has_callbacks.load(Ordering::Acquire) {
            event.call_back(status);
        }
        for Dependant { event: next, strict } in blocks {
            if strict && status < 0 {
                next.poisoned.store(true, Ordering::Relaxed);
            }
            if next.gate.unblock()
                && let Some(ended) = self.begin(next)
            {
                self.ending.push(ended);
            }
        }
        true
    }
}

impl Event {
    /// Its work is over. What can run now goes to `ready`.
    pub(super) fn end_into(self: Arc<Self>, failed: bool, ready: &mut Outbox) {
        let status = if failed { ApiError::OutOfResources.code() } else { cl::CL_COMPLETE };
        let mut settle = Settle { ending: Vec::new(), ready: take(ready) };
        settle.end(self, status);
        *ready = settle.ready;
    }
}

/// What happens to the event of a native kernel around its call.
struct AroundNative(Arc<Event>);

impl Around for AroundNative {
    fn before(&mut self) {
        self.0.advance(cl::CL_RUNNING);
    }

    /// One that has ended its thread has not done its work.
    fn after(self: Box<Self>, returned: bool) {
        let status = if returned { cl::CL_COMPLETE } else { ApiError::OutOfResources.code() };
        let mut settle = Settle::default();
        settle.end(self.0, status);
        settle.submit();
    }
}

impl Runnable for Event {
    fn slots(&self) -> WorkerSlots {
        self.queue().map_or_else(WorkerSlots::all, |queue| queue.device.slots)
    }

    fn state(&self) -> &TaskState {
        self.task.state()
    }

    fn run(&self, slot: &mut WorkerSlot, slow: &mut dyn FnMut()) -> bool {
        if self.task.state().more() {
            self.advance(cl::CL_RUNNING);
        }
        match self.task.run(slot, slow) {
            None => false,
            Some(outcome) => {
                if outcome.is_err() {
                    self.failed.store(true, Ordering::Relaxed);
                }
                true
            }
        }
    }

    fn on_end(self: Arc<Self>, ready: &mut Outbox) {
        let failed = self.failed.load(Ordering::Relaxed);
        self.end_into(failed, ready);
    }
}
