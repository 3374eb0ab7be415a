//! The worker threads, and the seats that they share with waiting threads.

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
use crate::seat::{Seat, Seats};
use crate::task::TaskState;
use crate::threads::{PerProcess, spawn};
use crate::{cpu_count, fork};

/// What the pool runs: a [`Task`](crate::Task) and what happens at its end.
pub trait Runnable: Send + Sync + 'static {
    /// Seats of the device that it runs on.
    fn seats(&self) -> Seats;

    /// The state of its task.
    fn state(&self) -> &TaskState;

    /// Runs chunks until none is left; true for the one caller that ended the last, by which the task is over.
    /// `slow` asks for more threads.
    fn run(&self, seat: &mut Seat, slow: &mut dyn FnMut()) -> bool;

    /// Called after `run` returned true, by the same thread. What can run now, because this has ended, goes to `ready`.
    fn on_end(self: Arc<Self>, ready: &mut Outbox);

    /// Tells tasks of the same whole from others: an address that only they have. Most are a whole by themselves.
    fn whole(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }
}

/// Tasks that have become ready and that nobody else knows of: whoever holds them runs or [`submit`]s them.
pub type Outbox = Vec<Arc<dyn Runnable>>;

struct Pool {
    ready: Ready<Arc<dyn Runnable>>,
    /// A seat is taken by locking it, and only ever with `try_lock`.
    seats: Box<[Mutex<Seat>]>,
    /// Started when first needed.
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
/// Kernels have their own stack; this is for our code and for copies.
const STACK: usize = 512 << 10;

impl Pool {
    fn get() -> &'static Pool {
        POOL.get(|| {
            let count = cpu_count();
            Pool {
                ready: Ready::new(count),
                seats: (0..count).map(|_| Mutex::default()).collect(),
                workers: (0..count).map(|_| OnceLock::new()).collect(),
                crippled: AtomicBool::new(false),
            }
        })
    }

    /// Takes a free seat.
    fn sit(&self, seats: Seats, preferred: u32) -> Option<(usize, MutexGuard<'_, Seat>)> {
        seats.indices(preferred).find_map(|index| Some((index, self.seats.get(index)?.try_lock()?)))
    }

    /// Gives a seat back, and lets somebody have it who waited for one.
    fn stand(&'static self, seat: MutexGuard<'_, Seat>) {
        drop(seat);
        self.wake(self.ready.wake_for_seat());
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
        // Only who took the worker off the list of the idle gets here, so nobody else starts it.
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
    ) -> Pick<(Arc<dyn Runnable>, usize, MutexGuard<'a, Seat>)> {
        if !task.state().more() {
            return Pick::Drop;
        }
        match self.sit(task.seats(), worker) {
            Some((index, seat)) => Pick::Join((task.clone(), index, seat)),
            None => Pick::Skip,
        }
    }

    fn worker(&'static self, worker: u32) {
        if let Some(slot) = self.workers.get(worker as usize) {
            // Before it can be idle, so that whoever finds it idle finds its thread.
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
            let Some(((task, index, seat), wake)) = found else {
                thread::park();
                continue;
            };
            let _section = fork::enter();
            self.wake_all(wake);
            self.work(task, index, seat);
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

    /// Runs a task and, one after the other, what becomes ready by its end; everything else that does goes to others.
    fn work(&'static self, task: Arc<dyn Runnable>, index: usize, mut seat: MutexGuard<'static, Seat>) {
        let mut outbox = Outbox::new();
        let mut next = Some(task);
        while let Some(task) = next.take() {
            self.run(task, &mut seat, &mut outbox);
            for ready in outbox.drain(..) {
                if next.is_none() && ready.seats().contains(index) {
                    if ready.state().threads() > 1 {
                        self.list(ready.clone(), ready.state().threads() - 1);
                    }
                    next = Some(ready);
                } else {
                    submit(ready);
                }
            }
        }
        self.stand(seat);
    }

    /// Runs chunks of a task; if that ends it, `outbox` gets what is ready now.
    fn run(&'static self, task: Arc<dyn Runnable>, seat: &mut Seat, outbox: &mut Outbox) {
        let _binding = Binding::to(task.seats());
        let mut slow = || self.list(task.clone(), task.seats().len() - 1);
        if task.run(seat, &mut slow) {
            let listed = task.state().was_listed();
            task.on_end(outbox);
            if listed {
                // So that a list nobody looks at keeps nothing alive.
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

/// A waiting thread that has taken a seat in order to help.
#[derive(Debug)]
pub struct Helper {
    pool: &'static Pool,
    /// Always there until dropped.
    seat: Option<MutexGuard<'static, Seat>>,
}

impl Helper {
    /// Takes a free seat of these, if there is one.
    pub fn sit(seats: Seats) -> Option<Helper> {
        let pool = Pool::get();
        // The first worker to be woken is the first of all, so a helper looks at the other end first.
        let (_, seat) = pool.sit(seats, seats.last())?;
        Some(Helper { pool, seat: Some(seat) })
    }

    /// Runs chunks of a task that is ready, with the help of workers where that pays. If this ends the task, `outbox`
    /// gets what is ready now.
    pub fn run(&mut self, task: Arc<dyn Runnable>, outbox: &mut Outbox) {
        let Some(seat) = &mut self.seat else { return };
        if task.state().threads() > 1 {
            self.pool.list(task.clone(), task.state().threads() - 1);
        }
        self.pool.run(task, seat, outbox);
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        if let Some(seat) = self.seat.take() {
            self.pool.stand(seat);
        }
    }
}

/// Whether tasks that are submitted will be run by workers. False after the system refused a thread: then waiting
/// threads have to look again and again for what they can do.
pub fn has_workers() -> bool {
    !Pool::get().crippled.load(Ordering::Relaxed)
}
