//! The worker threads, and the worker slots that they share with waiting threads.

use std::fmt;
use std::hint::spin_loop;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};

use crate::binding::{Binding, for_new_thread};
use crate::ready::{Pick, Ready, Wake};
use crate::task::TaskState;
use crate::threads::{PerProcess, spawn};
use crate::worker_slot::{WorkerSlot, WorkerSlots};
use crate::{cpu_count, fork};

/// What the pool runs: a [`Task`](crate::Task) and what happens at its end.
pub trait Runnable: Send + Sync + 'static {
    /// Worker slots of the device that the task runs on.
    fn slots(&self) -> WorkerSlots;

    /// The state of its task.
    fn state(&self) -> &TaskState;

    /// Runs chunks until none is left; true for the one caller that ended the last chunk, and with it the task. `slow`
    /// asks for more threads.
    fn run(&self, slot: &mut WorkerSlot, slow: &mut dyn FnMut()) -> bool;

    /// Called after `run` returned true, by the same thread. Tasks that can run now because this one has ended go to
    /// `ready`.
    fn on_end(self: Arc<Self>, ready: &mut Outbox);

    /// Identifies the command that a task belongs to, by an address that only tasks of that command have. Most tasks
    /// are a command by themselves.
    fn whole(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }
}

/// Tasks that have become ready and that nobody else knows of: the holder runs or [`submit`]s them.
pub type Outbox = Vec<Arc<dyn Runnable>>;

struct Pool {
    ready: Ready<Arc<dyn Runnable>>,
    /// A slot is taken by locking its mutex, and only with `try_lock`.
    slots: Box<[Mutex<WorkerSlot>]>,
    /// Worker threads, each started when it is first needed.
    workers: Box<[OnceLock<Thread>]>,
    /// A worker could not be started: waiting threads must not count on workers.
    crippled: AtomicBool,
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("workers", &self.workers.len()).finish_non_exhaustive()
    }
}

static POOL: PerProcess<Pool> = PerProcess::new();

/// A worker looks for more work for this long before it sleeps.
const SPIN: Duration = Duration::from_micros(10);
/// Bytes of a worker's stack. Kernels have their own; this is for our code and for copies.
const STACK: usize = 512 << 10;

impl Pool {
    fn get() -> &'static Pool {
        POOL.get(|| {
            let count = cpu_count();
            Pool {
                ready: Ready::new(count),
                slots: (0..count).map(|_| Mutex::default()).collect(),
                workers: (0..count).map(|_| OnceLock::new()).collect(),
                crippled: AtomicBool::new(false),
            }
        })
    }

    /// Takes a free slot.
    fn sit(&self, slots: WorkerSlots, preferred: u32) -> Option<(usize, MutexGuard<'_, WorkerSlot>)> {
        slots.indices(preferred).find_map(|index| Some((index, self.slots.get(index)?.try_lock()?)))
    }

    /// Gives a worker slot back, and wakes a worker if a task may have waited for one.
    fn stand(&'static self, slot: MutexGuard<'_, WorkerSlot>) {
        drop(slot);
        self.wake(self.ready.wake_for_slot());
    }

    fn list(&'static self, task: Arc<dyn Runnable>, wanted: u32) {
        if task.state().list() {
            self.wake(self.ready.push(task, wanted));
        }
    }

    fn wake(&'static self, worker: Option<u32>) {
        let Some(worker) = worker else { return };
        let Some(slot) = self.workers.get(worker as usize) else { return };
        if let Some(thread) = slot.get() {
            thread.unpark();
            return;
        }
        // Only the thread that took the worker off the idle list gets here, so nobody else starts it.
        let begin = for_new_thread();
        let main = move || {
            begin();
            self.worker(worker);
        };
        if spawn(format!("oxicl-worker-{worker}"), STACK, main).is_err() {
            self.crippled.store(true, Ordering::Relaxed);
        }
    }

    fn wake_all(&'static self, wake: Wake) {
        for worker in wake {
            self.wake(worker);
        }
    }

    /// What a worker does with a listed task.
    fn pick<'a>(
        &'a self,
        worker: u32,
        task: &Arc<dyn Runnable>,
    ) -> Pick<(Arc<dyn Runnable>, usize, MutexGuard<'a, WorkerSlot>)> {
        if !task.state().more() {
            return Pick::Drop;
        }
        match self.sit(task.slots(), worker) {
            Some((index, slot)) => Pick::Join((task.clone(), index, slot)),
            None => Pick::Skip,
        }
    }

    fn worker(&'static self, worker: u32) {
        if let Some(slot) = self.workers.get(worker as usize) {
            // Set before the worker can be idle, so that whoever finds it idle finds its thread.
            let _ = slot.set(thread::current());
        }
        loop {
            let section = fork::enter();
            let mut found = self.ready.find(None, |task| self.pick(worker, task));
            if found.is_none() {
                drop(section);
                self.spin();
                let _section = fork::enter();
                found = self.ready.find(Some(worker), |task| self.pick(worker, task));
            }
            let Some(((task, index, slot), wake)) = found else {
                thread::park();
                continue;
            };
            let _section = fork::enter();
            self.wake_all(wake);
            self.work(task, index, slot);
        }
    }

    /// Waits a little for a task to be listed.
    fn spin(&self) {
        let start = Instant::now();
        while self.ready.listed() == 0 && start.elapsed() < SPIN {
            for _ in 0..16 {
                spin_loop();
            }
        }
    }

    /// Runs a task and then, one after the other, tasks that become ready by the end of the one before. If several do,
    /// the others are submitted.
    fn work(&'static self, task: Arc<dyn Runnable>, index: usize, mut slot: MutexGuard<'static, WorkerSlot>) {
        let mut outbox = Outbox::new();
        let mut next = Some(task);
        while let Some(task) = next.take() {
            self.run(task, &mut slot, &mut outbox);
            for ready in outbox.drain(..) {
                if next.is_none() && ready.slots().contains(index) {
                    if ready.state().threads() > 1 {
                        self.list(ready.clone(), ready.state().threads() - 1);
                    }
                    next = Some(ready);
                } else {
                    submit(ready);
                }
            }
        }
        self.stand(slot);
    }

    /// Runs chunks of a task. If that ends it, tasks that are ready now go to `outbox`.
    fn run(&'static self, task: Arc<dyn Runnable>, slot: &mut WorkerSlot, outbox: &mut Outbox) {
        let _binding = Binding::to(task.slots());
        let mut slow = || self.list(task.clone(), task.slots().len() - 1);
        if task.run(slot, &mut slow) {
            let listed = task.state().was_listed();
            task.on_end(outbox);
            if listed {
                // Otherwise a list that nobody looks at would keep finished tasks alive.
                self.ready.sweep(|task| !task.state().more());
            }
        }
    }
}

/// Gives a task to the workers.
pub fn submit(task: Arc<dyn Runnable>) {
    let wanted = task.state().threads();
    Pool::get().list(task, wanted);
}

/// A waiting thread that has taken a worker slot in order to help.
#[derive(Debug)]
pub struct Helper {
    pool: &'static Pool,
    /// Present until dropped.
    slot: Option<MutexGuard<'static, WorkerSlot>>,
}

impl Helper {
    /// Takes a free slot of these, if there is one.
    pub fn sit(slots: WorkerSlots) -> Option<Helper> {
        let pool = Pool::get();
        // Workers are woken from the first one on, so a helper begins with the last slot.
        let (_, slot) = pool.sit(slots, slots.last())?;
        Some(Helper { pool, slot: Some(slot) })
    }

    /// Runs chunks of a ready task, with the help of workers where that pays. If this ends the task, tasks that are
    /// ready now go to `outbox`.
    pub fn run(&mut self, task: Arc<dyn Runnable>, outbox: &mut Outbox) {
        let Some(slot) = &mut self.slot else { return };
        if task.state().threads() > 1 {
            self.pool.list(task.clone(), task.state().threads() - 1);
        }
        self.pool.run(task, slot, outbox);
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        if let Some(slot) = self.slot.take() {
            self.pool.stand(slot);
        }
    }
}

/// Whether submitted tasks will be run by workers. False after the system refused a thread: then waiting threads have
/// to look for work again and again.
pub fn has_workers() -> bool {
    !Pool::get().crippled.load(Ordering::Relaxed)
}
