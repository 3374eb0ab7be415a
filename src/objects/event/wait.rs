//! Waiting for an event, and helping it along meanwhile.

use std::hint::spin_loop;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use oxicl_schedule::{GateState, Helper, Runnable, WorkerSlots, fork, has_workers};

use super::{Event, Settle};
use crate::ApiError;

/// How long a waiting thread watches what others do before it sleeps.
const SPIN: Duration = Duration::from_micros(10);
/// How often a waiting thread looks for something to do when there are no workers.
const POLL: Duration = Duration::from_millis(1);

impl Event {
    /// Waits for the end. The thread runs what the event depends on, or as much of it as others do not run.
    ///
    /// # Errors
    /// The command failed: `CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST`.
    pub fn wait(self: &Arc<Self>) -> Result<(), ApiError> {
        let status = self.outcome();
        if let Some(queue) = self.queue() {
            queue.waited();
        }
        if status < 0 { Err(ApiError::ExecStatusErrorForEventsInWaitList) } else { Ok(()) }
    }

    /// Runs what the event depends on, as far as nothing has to be waited for.
    pub(crate) fn help(self: &Arc<Self>) {
        Assistance::new(self).give();
    }

    /// Waits for the end; the final status.
    pub(crate) fn outcome(self: &Arc<Self>) -> i32 {
        self.bury();
        if let Some(status) = self.ended() {
            return status;
        }
        self.help();
        if let Some(status) = self.ended() {
            return status;
        }
        let mut settle = Settle::default();
        self.release(&mut settle);
        settle.submit();
        self.hasten();
        loop {
            if let Some(status) = self.ended() {
                return status;
            }
            if has_workers() {
                self.sleep();
            } else {
                self.help();
                fork::outside(|| thread::sleep(POLL));
            }
        }
    }

    /// Has the code come first that it waits for, by itself or by what it waits for.
    fn hasten(self: &Arc<Self>) {
        let mut stack = vec![self.clone()];
        while let Some(event) = stack.pop() {
            if event.gate.state() != GateState::Blocked || event.hastened.swap(true, Ordering::Relaxed) {
                continue;
            }
            let mut code = Vec::new();
            {
                let state = event.state.lock();
                code.extend(state.code.iter().cloned());
                stack.extend(state.waits_for.iter().cloned());
            }
            code.iter().for_each(|code| code.hasten());
        }
    }

    /// Sleeps until the event has ended, or a little less.
    fn sleep(&self) {
        let this = thread::current();
        {
            let mut state = self.state.lock();
            if self.ended().is_some() {
                return;
            }
            if !state.sleepers.iter().any(|sleeper| sleeper.id() == this.id()) {
                state.sleepers.push(this);
            }
        }
        fork::outside(thread::park);
    }

    /// Something that it waits for and that has not ended.
    fn blocker(&self) -> Option<Arc<Event>> {
        self.state.lock().waits_for.iter().find(|other| other.ended().is_none()).cloned()
    }
}

/// `clWaitForEvents`.
///
/// # Errors
/// `CL_INVALID_CONTEXT` if the events are of several contexts; an event failed.
pub fn wait_for_all(events: &[Arc<Event>]) -> Result<(), ApiError> {
    let Some(first) = events.first() else { return Err(ApiError::InvalidValue) };
    if events.iter().any(|event| !Arc::ptr_eq(event.context(), first.context())) {
        return Err(ApiError::InvalidContext);
    }
    let mut result = Ok(());
    for event in events {
        let ended = event.wait();
        result = result.and(ended);
    }
    result
}

/// A waiting thread at work.
struct Assistance {
    /// The event waited for, and on it what it depends on: each waits for the next.
    path: Vec<Arc<Event>>,
    slot: Option<(WorkerSlots, Helper)>,
    settle: Settle,
}

/// What to do after a look at the end of the path.
#[derive(PartialEq, Eq)]
enum Next {
    /// Look again: something has changed.
    Again,
    /// Others have to do something first.
    Watch,
    /// There is nothing for us to do.
    Stop,
}

impl Assistance {
    fn new(event: &Arc<Event>) -> Self {
        Assistance { path: vec![event.clone()], slot: None, settle: Settle::default() }
    }

    /// Helps until the event has ended or there is nothing to help with.
    fn give(mut self) {
        let mut watching: Option<Instant> = None;
        while let Some(last) = self.path.last().cloned() {
            if last.ended().is_some() {
                self.path.pop();
                continue;
            }
            match self.look(&last) {
                Next::Again => watching = None,
                Next::Stop => break,
                Next::Watch => {
                    if watching.get_or_insert_with(Instant::now).elapsed() > SPIN {
                        break;
                    }
                    for _ in 0..16 {
                        spin_loop();
                    }
                }
            }
        }
        self.settle.submit();
    }

    fn look(&mut self, event: &Arc<Event>) -> Next {
        match event.gate.state() {
            GateState::Held if event.gate.take() => {
                self.settle.start(event.clone());
                self.run_ready()
            }
            GateState::Held => Next::Again,
            GateState::Open if event.begun.load(Ordering::Acquire) && event.task.state().more() => {
                self.run(event.clone(), event.slots())
            }
            GateState::Open => match event.open_part() {
                Some((part, slots)) => self.run(part, slots),
                // About to start, or running elsewhere, or a native kernel.
                None => Next::Watch,
            },
            GateState::Blocked if event.is_user() => Next::Stop,
            GateState::Blocked => match event.blocker() {
                Some(other) => {
                    other.bury();
                    self.path.push(other);
                    Next::Again
                }
                // Somebody is about to unblock it.
                None => Next::Watch,
            },
        }
    }

    /// Runs chunks of what has started.
    fn run(&mut self, task: Arc<dyn Runnable>, slots: WorkerSlots) -> Next {
        if !self.sit(slots) {
            return Next::Stop;
        }
        if let Some((_, helper)) = &mut self.slot {
            helper.run(task, &mut self.settle.ready);
        }
        self.run_ready()
    }

    /// Of what has become ready, runs what is on the path; the rest is for workers.
    fn run_ready(&mut self) -> Next {
        while let Some(index) = self.settle.ready.iter().rposition(|task| self.is_on_path(task)) {
            let task = self.settle.ready.swap_remove(index);
            self.settle.submit();
            if !self.sit(task.slots()) {
                oxicl_schedule::submit(task);
            } else if let Some((_, helper)) = &mut self.slot {
                helper.run(task, &mut self.settle.ready);
            }
        }
        self.settle.submit();
        Next::Again
    }

    /// Whether a task is, or belongs to, one of the last two events of the path.
    fn is_on_path(&self, task: &Arc<dyn Runnable>) -> bool {
        self.path.iter().rev().take(2).any(|event| event.whole() == task.whole())
    }

    /// Makes sure of a worker slot among these.
    fn sit(&mut self, slots: WorkerSlots) -> bool {
        if self.slot.as_ref().is_some_and(|(held, _)| *held == slots) {
            return true;
        }
        // The old one first: the new one may be the same.
        self.slot = None;
        self.slot = Helper::sit(slots).map(|helper| (slots, helper));
        self.slot.is_some()
    }
}
