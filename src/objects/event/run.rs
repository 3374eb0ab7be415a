//! The execution of a command buffer: one event for all of its commands.
//!
//! A command starts when all that it waits for have ended. Short ones are done at once by the thread that finds them
//! ready, the others are tasks of their own for the pool. The last command to end ends the event.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

use khronos_headers as cl;
use oxicl_schedule::{Job, Outbox, Runnable, Task, TaskState, WorkerSlot, WorkerSlots};
use parking_lot::Mutex;

use super::Event;
use crate::command::{Action, Short};
use crate::command_buffer::Graph;

/// An execution that is under way.
pub(super) struct Run {
    event: Arc<Event>,
    graph: Arc<Graph>,
    /// For each command, how many it still waits for.
    blockers: Box<[AtomicU32]>,
    /// Commands that have not ended.
    left: AtomicUsize,
    /// A command failed: those that have not started are left out.
    failed: AtomicBool,
    /// Commands that run now.
    parts: Mutex<Vec<Arc<Part>>>,
}

/// A command that runs.
struct Part {
    run: Arc<Run>,
    index: usize,
    task: Task<Arc<dyn Job>>,
}

impl Run {
    /// Starts the commands of an event whose gate has opened. If all of them end at once, it comes back with its status.
    pub(super) fn start(event: Arc<Event>, graph: Arc<Graph>, ready: &mut Outbox) -> Option<(Arc<Event>, i32)> {
        if graph.commands.is_empty() {
            return Some((event, cl::CL_COMPLETE));
        }
        let run = Arc::new(Run {
            event: Arc::clone(&event),
            blockers: graph.order.blockers().map(AtomicU32::new).collect(),
            left: AtomicUsize::new(graph.commands.len()),
            failed: AtomicBool::new(false),
            parts: Mutex::default(),
            graph,
        });
        event.state.lock().run = Some(Arc::clone(&run));
        let first = run.graph.order.first().to_vec();
        run.proceed(first, ready).then(|| (event, run.status()))
    }

    fn status(&self) -> i32 {
        if self.failed.load(Ordering::Relaxed) { crate::ApiError::OutOfResources.code() } else { cl::CL_COMPLETE }
    }

    /// Starts commands that wait for nothing more, and those that can start because some of them have ended at once.
    /// True if these were the last.
    fn proceed(self: &Arc<Self>, mut due: Vec<u32>, ready: &mut Outbox) -> bool {
        while let Some(index) = due.pop() {
            let index = index as usize;
            match self.graph.commands.get(index) {
                _ if self.failed.load(Ordering::Relaxed) => {}
                Some(Action::Short(short)) => self.run_short(short),
                // A job without units would never end.
                Some(Action::Job(job) | Action::Launch(job, _)) if job.units() != 0 => {
                    ready.push(self.part(index, job.successor().unwrap_or_else(|| Arc::clone(job))));
                    continue;
                }
                _ => {}
            }
            if self.ended(index, &mut due) {
                return true;
            }
        }
        false
    }

    fn run_short(&self, short: &Short) {
        if catch_unwind(AssertUnwindSafe(|| short())).is_err() {
            self.failed.store(true, Ordering::Relaxed);
        }
    }

    fn part(self: &Arc<Self>, index: usize, job: Arc<dyn Job>) -> Arc<Part> {
        let task = Task::new(Some(job), self.event.slots());
        let part = Arc::new(Part { run: Arc::clone(self), index, task });
        self.parts.lock().push(Arc::clone(&part));
        part
    }

    /// A command has ended: `due` gets those that waited for it last. True if it was the last of all.
    fn ended(&self, index: usize, due: &mut Vec<u32>) -> bool {
        for &next in self.graph.order.after(index).iter().rev() {
            // Release: what the command did is seen by whoever starts the next; acquire: by us, if it is us.
            let blockers = self.blockers.get(next as usize);
            if blockers.is_some_and(|blockers| blockers.fetch_sub(1, Ordering::AcqRel) == 1) {
                due.push(next);
            }
        }
        self.left.fetch_sub(1, Ordering::AcqRel) == 1
    }
}

impl Runnable for Part {
    fn slots(&self) -> WorkerSlots {
        self.run.event.slots()
    }

    fn state(&self) -> &TaskState {
        self.task.state()
    }

    fn run(&self, slot: &mut WorkerSlot, slow: &mut dyn FnMut()) -> bool {
        match self.task.run(slot, slow) {
            None => false,
            Some(outcome) => {
                if outcome.is_err() {
                    self.run.failed.store(true, Ordering::Relaxed);
                }
                true
            }
        }
    }

    fn on_end(self: Arc<Self>, ready: &mut Outbox) {
        let run = &self.run;
        run.parts.lock().retain(|part| !Arc::ptr_eq(part, &self));
        let mut due = Vec::new();
        if run.ended(self.index, &mut due) || run.proceed(due, ready) {
            let failed = run.failed.load(Ordering::Relaxed);
            Arc::clone(&run.event).end_into(failed, ready);
        }
    }

    fn whole(&self) -> usize {
        self.run.event.whole()
    }
}

impl Event {
    /// A command of a command buffer of which chunks are left to hand out.
    pub(super) fn open_part(&self) -> Option<(Arc<dyn Runnable>, WorkerSlots)> {
        let run = self.state.lock().run.clone()?;
        let parts = run.parts.lock();
        let part = parts.iter().find(|part| part.task.state().more())?;
        Some((Arc::clone(part) as Arc<dyn Runnable>, part.slots()))
    }
}
