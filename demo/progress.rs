//! A line about work that takes over a second.

use std::io::{IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Writes what is going on, from the first second on, until it is dropped: every second on a terminal, else once.
pub struct Progress {
    end: Option<Sender<()>>,
    writer: Option<JoinHandle<()>>,
}

impl Progress {
    /// Starts the clock.
    pub fn start(what: &str) -> Progress {
        let what = what.to_owned();
        let (end, ended) = channel::<()>();
        let writer = std::thread::spawn(move || {
            let start = Instant::now();
            let terminal = std::io::stderr().is_terminal();
            let mut shown = false;
            while ended.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
                if terminal {
                    eprint!("\r\x1b[K  {what}: {} s ...", start.elapsed().as_secs());
                } else if !shown {
                    eprintln!("  {what} ...");
                }
                // A progress line that cannot be shown is not missed.
                let _ = std::io::stderr().flush();
                shown = true;
            }
            if shown && terminal {
                eprint!("\r\x1b[K");
            }
        });
        Progress { end: Some(end), writer: Some(writer) }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.end = None;
        if let Some(writer) = self.writer.take() {
            // It only prints; if it panicked there is nothing to clean up.
            let _ = writer.join();
        }
    }
}
