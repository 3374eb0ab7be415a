//! What a job is, and the table of what came out.

use std::fmt;
use std::time::{Duration, Instant};

use oxicl_benches::{Failure, Session};

use crate::Progress;

/// One thing the demo computes, on the device and on one host thread.
pub trait Job {
    /// What it is, for people.
    fn name(&self) -> String;

    /// Enqueues all its kernels.
    fn enqueue(&self, session: &Session) -> Result<(), Failure>;

    /// Does the same work on this thread and keeps the result.
    fn on_host(&mut self);

    /// Compares the device's result with the host's.
    fn check(&self, session: &Session) -> Result<(), Failure>;

    /// Work of one run, and its unit (`FLOP` or `B`).
    fn work(&self) -> (f64, &'static str);
}

/// A line of the table.
#[derive(Clone, Debug)]
pub struct Report {
    name: String,
    build: Duration,
    run: Duration,
    host: Duration,
    work: (f64, &'static str),
}

/// The heading of the table.
pub fn heading() -> String {
    format!("{:<34}{:>12}{:>12}{:>16}{:>16}{:>10}", "", "build", "run", "", "one host thread", "speed-up")
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let milliseconds = |time: Duration| format!("{:.2} ms", time.as_secs_f64() * 1e3);
        let rate = self.work.0 / self.run.as_secs_f64() / 1e9;
        write!(
            f,
            "{:<34}{:>12}{:>12}{:>16}{:>16}{:>9.1}x",
            self.name,
            milliseconds(self.build),
            milliseconds(self.run),
            format!("{rate:.1} G{}/s", self.work.1),
            milliseconds(self.host),
            self.host.as_secs_f64() / self.run.as_secs_f64()
        )
    }
}

impl Report {
    /// Makes a job (which builds its program), runs it, checks it against the host.
    pub fn of<J: Job>(
        session: &Session,
        what: &str,
        make: impl FnOnce(&Session) -> Result<(J, Duration), Failure>,
    ) -> Result<(Report, J), Failure> {
        let (mut job, build) = {
            let _progress = Progress::start(&format!("{what}: building and preparing"));
            make(session)?
        };
        let run = {
            let _progress = Progress::start(&format!("{what}: running"));
            median_run(session, &job)?
        };
        let host = {
            let _progress = Progress::start(&format!("{what}: on one host thread"));
            let start = Instant::now();
            job.on_host();
            start.elapsed()
        };
        job.check(session)?;
        Ok((Report { name: job.name(), build, run, host, work: job.work() }, job))
    }
}

/// The median of nine runs after one that is not counted.
fn median_run(session: &Session, job: &impl Job) -> Result<Duration, Failure> {
    let mut times = Vec::new();
    for _ in 0..10 {
        let start = Instant::now();
        job.enqueue(session)?;
        session.queue.finish()?;
        times.push(start.elapsed());
    }
    times.remove(0);
    times.sort_unstable();
    Ok(times[times.len() / 2])
}
