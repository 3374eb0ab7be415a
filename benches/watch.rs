//! Ends a process that is stuck.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// What takes longer ends the process: a kernel may run for ever, which no call of the API can stop.
const PATIENCE: Duration = Duration::from_secs(60);

/// Watches one piece of work at a time.
pub struct Watch {
    /// Odd while something is worked on.
    steps: Arc<AtomicU64>,
}

impl Watch {
    /// Starts its thread, which lives as long as the process.
    pub fn start() -> Watch {
        let steps = Arc::new(AtomicU64::new(0));
        let seen = Arc::clone(&steps);
        thread::spawn(move || {
            loop {
                let before = seen.load(Ordering::Relaxed);
                thread::sleep(PATIENCE);
                if before % 2 == 1 && seen.load(Ordering::Relaxed) == before {
                    eprintln!("a driver's process is stuck and ends");
                    std::process::exit(1);
                }
            }
        });
        Watch { steps }
    }

    /// Does the work while it is watched.
    pub fn over<T>(&self, work: impl FnOnce() -> T) -> T {
        self.steps.fetch_add(1, Ordering::Relaxed);
        let done = work();
        self.steps.fetch_add(1, Ordering::Relaxed);
        done
    }
}
