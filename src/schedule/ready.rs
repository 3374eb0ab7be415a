//! The lists of tasks that want threads, and of workers that have nothing to do.

use std::collections::VecDeque;

use super::sync::{AtomicUsize, Mutex, Ordering, fence};

/// What a worker decides about a listed task.
#[derive(Debug)]
pub enum Pick<R> {
    /// Nothing is left to hand out: take it off the list.
    Drop,
    /// Not for this worker now.
    Skip,
    /// Join it. It stays listed, so that others can join too.
    Join(R),
}

#[derive(Debug)]
struct Listed<T> {
    task: T,
    /// How many more workers are to be woken for it.
    wanted: u32,
}

#[derive(Debug)]
struct State<T> {
    tasks: VecDeque<Listed<T>>,
    /// Workers that sleep or were never started; the one that went to sleep last is woken first.
    idle: Vec<u32>,
}

/// The listed tasks and the idle workers under one lock: a worker that finds nothing becomes idle in the same critical
/// section, so no wake-up is lost. Nobody holds the lock while a task runs.
#[derive(Debug)]
pub struct Ready<T> {
    state: Mutex<State<T>>,
    /// Number of listed tasks, readable without the lock.
    listed: AtomicUsize,
}

/// Workers that the caller has to wake once the lock is released.
pub type Wake = [Option<u32>; 2];

impl<T> Ready<T> {
    /// An empty list; workers `0 .. workers` are idle.
    pub fn new(workers: u32) -> Self {
        let state = State { tasks: VecDeque::new(), idle: (0..workers).rev().collect() };
        Ready { state: Mutex::new(state), listed: AtomicUsize::new(0) }
    }

    /// Number of listed tasks.
    pub fn listed(&self) -> usize {
        self.listed.load(Ordering::Relaxed)
    }

    /// Lists a task for which `wanted` workers are to be woken. Gives one of them, which the caller wakes; workers that
    /// join wake the others.
    pub fn push(&self, task: T, wanted: u32) -> Option<u32> {
        let mut state = self.state.lock();
        let woken = if wanted > 0 { state.idle.pop() } else { None };
        let wanted = if woken.is_some() { wanted - 1 } else { wanted };
        state.tasks.push_back(Listed { task, wanted });
        self.listed.store(state.tasks.len(), Ordering::Relaxed);
        woken
    }

    /// Finds a task that `pick` joins, and workers to wake for it. If there is none, the worker `sleeper`, if given,
    /// becomes idle.
    pub fn find<R>(&self, sleeper: Option<u32>, mut pick: impl FnMut(&T) -> Pick<R>) -> Option<(R, Wake)> {
        // Dropped after the lock is released: dropping a task may drop much else.
        let mut gone = Vec::new();
        let mut state = self.state.lock();
        // Pairs with the fence in `wake_for_slot`: either we see the freed slot, or the thread that frees it sees that
        // a task is listed and wakes a worker.
        fence(Ordering::SeqCst);
        let mut found = None;
        let mut index = 0;
        while let Some(listed) = state.tasks.get(index) {
            match pick(&listed.task) {
                Pick::Drop => gone.extend(state.tasks.remove(index)),
                Pick::Skip => index += 1,
                Pick::Join(joined) => {
                    found = Some((joined, index));
                    break;
                }
            }
        }
        self.listed.store(state.tasks.len(), Ordering::Relaxed);
        let Some((joined, index)) = found else {
            if let Some(worker) = sleeper {
                state.idle.push(worker);
            }
            return None;
        };
        let mut wake = [None; 2];
        let State { tasks, idle } = &mut *state;
        if let Some(listed) = tasks.get_mut(index) {
            for slot in &mut wake {
                if listed.wanted > 0 {
                    *slot = idle.pop();
                    listed.wanted -= u32::from(slot.is_some());
                }
            }
        }
        Some((joined, wake))
    }

    /// Removes tasks from the list that have nothing left to hand out.
    pub fn sweep(&self, mut exhausted: impl FnMut(&T) -> bool) {
        let mut gone = Vec::new();
        let mut state = self.state.lock();
        let mut index = 0;
        while let Some(listed) = state.tasks.get(index) {
            if exhausted(&listed.task) {
                gone.extend(state.tasks.remove(index));
            } else {
                index += 1;
            }
        }
        self.listed.store(state.tasks.len(), Ordering::Relaxed);
    }

    /// Called after a worker slot was given up. Gives a worker to wake, if a listed task may have waited for a slot.
    pub fn wake_for_slot(&self) -> Option<u32> {
        fence(Ordering::SeqCst);
        if self.listed.load(Ordering::Relaxed) == 0 { None } else { self.state.lock().idle.pop() }
    }
}
