//! The supervisor: takes requests, hands them to workers, and answers for those that die.
//!
//! One thread, one `poll`. The application's end of the socket closing ends everything.

use std::collections::VecDeque;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use oxicl_protocol::{
    BuildFailure, CompileRequest, CompileResponse, Diagnostic, FrameHeader, FrameKind, Severity, SourceResponse, Stage,
    decode, encode,
};

use super::Fault;
use super::channel::{self, Frame, Gather};
use super::death::Death;
use super::pool::{Event, Job, Worker};
use super::system::{self, Watched};

/// Workers, and finally the supervisor, leave when there was nothing to do for this long.
const IDLE: Duration = Duration::from_secs(10);

/// The code generator recurses on the depth of expressions; stacks may grow to this, in bytes.
const STACK: u64 = 64 << 20;

/// What workers do beside their work.
#[derive(Debug, Default)]
pub struct Extras {
    /// They bring a fault on themselves, for tests.
    pub fault: Option<Fault>,
    /// They write what each stage made into this folder.
    pub dump: Option<PathBuf>,
}

struct Supervisor {
    application: UnixStream,
    gather: Gather,
    /// Answers that the socket did not take yet. It never blocks: the application may send before it reads.
    unsent: VecDeque<u8>,
    queue: VecDeque<Job>,
    workers: Vec<Worker>,
    most_workers: usize,
    extras: Extras,
    /// The front end for sources has run once in this process, so that workers that are forked from now on find it warm.
    front_end_is_warm: bool,
    quiet_since: Instant,
}

/// Serves the application at the inherited socket until it is gone, or nothing was asked for 10 s.
///
/// # Errors
/// There is no such socket, or the connection broke; the application starts another supervisor when it needs one.
pub fn serve(workers: usize, extras: Extras) -> io::Result<()> {
    system::reset_signals();
    system::raise_stack_limit(STACK);
    let application = system::adopt_socket()?;
    crate::warm::warm();
    let mut supervisor = Supervisor {
        application,
        gather: Gather::default(),
        unsent: VecDeque::new(),
        queue: VecDeque::new(),
        workers: Vec::new(),
        most_workers: workers.max(1),
        extras,
        front_end_is_warm: false,
        quiet_since: Instant::now(),
    };
    let result = supervisor.run();
    for worker in supervisor.workers.drain(..) {
        worker.end(Instant::now());
    }
    result
}

impl Supervisor {
    fn run(&mut self) -> io::Result<()> {
        loop {
            self.assign()?;
            if !self.queue.is_empty() || !self.unsent.is_empty() || self.workers.iter().any(|worker| !worker.is_idle())
            {
                self.quiet_since = Instant::now();
            } else if self.quiet_since.elapsed() >= IDLE {
                return Ok(());
            }
            self.flush()?;
            let ready = self.wait()?;
            let (application_ready, workers_ready) = ready.split_first().unwrap_or((&false, &[]));
            // From the back, so that a removal leaves the indices before it alone.
            for (index, _) in workers_ready.iter().enumerate().rev().filter(|(_, ready)| **ready) {
                match self.workers[index].read() {
                    Event::Nothing => {}
                    Event::Answer(frame) => self.forward(&frame),
                    Event::Gone => self.bury(index)?,
                }
            }
            self.enforce_limits()?;
            if *application_ready && !self.listen()? {
                return Ok(());
            }
        }
    }

    /// Gives waiting jobs to workers, forking as many as are allowed and needed.
    fn assign(&mut self) -> io::Result<()> {
        while let Some(job) = self.queue.pop_front() {
            match self.worker_for(&job) {
                Ok(Some(index)) => self.workers[index].assign(job),
                Ok(None) => {
                    self.queue.push_front(job);
                    return Ok(());
                }
                Err(error) => {
                    let message = format!("a compiler worker cannot be started: {error}");
                    self.respond(&job, BuildFailure::new(Stage::CompilerProcess, message))?;
                }
            }
        }
        Ok(())
    }

    /// Index of the worker for a job; none if the job has to wait for one.
    ///
    /// # Errors
    /// There is no process to be had, and none that the job could wait for.
    fn worker_for(&mut self, job: &Job) -> io::Result<Option<usize>> {
        let busy = self.workers.iter().filter(|worker| !worker.is_idle()).count();
        if busy >= self.most_workers {
            return Ok(None);
        }
        // A second try needs a worker that compiled nothing, so that nothing of an earlier request can hurt it.
        let fits = |worker: &Worker| worker.is_idle() && (job.first_death.is_none() || worker.is_fresh());
        let found = self.workers.iter().position(fits);
        if found.is_some() {
            return Ok(found);
        }
        if self.workers.len() >= self.most_workers
            && let Some(replaced) = self.workers.iter().position(Worker::is_idle)
        {
            self.workers.swap_remove(replaced).end(Instant::now());
        }
        match Worker::start(&self.extras) {
            Ok(worker) => self.workers.push(worker),
            Err(_) if busy > 0 && job.first_death.is_none() => return Ok(None),
            Err(error) => return Err(error),
        }
        Ok(Some(self.workers.len() - 1))
    }

    /// Waits for something to happen or the next limit to pass. The answer is the application, then the workers.
    fn wait(&self) -> io::Result<Vec<bool>> {
        let now = Instant::now();
        let deadlines = self.workers.iter().filter_map(Worker::deadline);
        let idle =
            self.workers.iter().filter_map(|worker| worker.idle_for(now)).map(|idle| now + (IDLE - idle.min(IDLE)));
        let quiet = self.quiet_since + IDLE;
        let next = deadlines.chain(idle).min().unwrap_or(quiet).saturating_duration_since(now);
        // Rounded up, so that the limit has passed when the call returns.
        let milliseconds = i32::try_from(next.as_millis() + 1).unwrap_or(i32::MAX);
        let mut watched = vec![Watched { descriptor: self.application.as_fd(), write: !self.unsent.is_empty() }];
        watched.extend(self.workers.iter().map(|worker| Watched { descriptor: worker.descriptor(), write: false }));
        system::poll(&watched, milliseconds)
    }

    /// Reads from the application; false when it is gone.
    fn listen(&mut self) -> io::Result<bool> {
        if !self.gather.read_some(&self.application)? {
            return Ok(false);
        }
        while let Some(Frame { header, payload }) = self.gather.next()? {
            match header.kind {
                FrameKind::Request => {}
                FrameKind::Source => self.warm_front_end(),
                _ => {
                    return Err(io::Error::new(
                        io::ErrorKind::InvalidData,
                        "the application sent something else than a request",
                    ));
                }
            }
            self.queue.push_back(Job { header, payload, first_death: None });
        }
        Ok(true)
    }

    /// Before the first source: many applications have none. Workers that wait for work make room for warmer ones.
    fn warm_front_end(&mut self) {
        if std::mem::replace(&mut self.front_end_is_warm, true) {
            return;
        }
        crate::warm::warm_front_end();
        for index in (0..self.workers.len()).rev() {
            if self.workers[index].is_idle() {
                self.workers.swap_remove(index).end(Instant::now());
            }
        }
    }

    /// Ends workers that are past their deadline, worn out, or idle for too long.
    fn enforce_limits(&mut self) -> io::Result<()> {
        let now = Instant::now();
        for index in (0..self.workers.len()).rev() {
            let worker = &self.workers[index];
            let late = worker.deadline().is_some_and(|deadline| now >= deadline);
            let idle = worker.idle_for(now).is_some_and(|idle| idle >= IDLE);
            if late || idle || worker.is_worn() {
                self.bury(index)?;
            }
        }
        Ok(())
    }

    /// Ends a worker; its job is tried once more, or answered with the story of both deaths.
    fn bury(&mut self, index: usize) -> io::Result<()> {
        let Some((mut job, death)) = self.workers.swap_remove(index).end(Instant::now()) else { return Ok(()) };
        match job.first_death.take() {
            // Sources are compiled in one way only: what a fresh compiler died of, it will die of again.
            None if job.header.kind == FrameKind::Source && !death.may_not_repeat() => {
                self.respond(&job, source_failure(&death, None))
            }
            None => {
                job.first_death = Some(death);
                self.queue.push_front(job);
                Ok(())
            }
            Some(first) if job.header.kind == FrameKind::Source => {
                self.respond(&job, source_failure(&death, Some(&first)))
            }
            Some(first) => self.respond(&job, failure(&job, &first, &death)),
        }
    }

    fn forward(&mut self, frame: &Frame) {
        self.unsent.extend(frame.header.to_bytes());
        self.unsent.extend(&frame.payload);
    }

    fn respond(&mut self, job: &Job, failure: BuildFailure) -> io::Result<()> {
        let payload = match job.header.kind {
            FrameKind::Source => encode(&SourceResponse::Failure(failure)),
            _ => encode(&CompileResponse::Failure(failure)),
        };
        let payload = payload.map_err(io::Error::other)?;
        let length = u32::try_from(payload.len()).map_err(io::Error::other)?;
        let header = FrameHeader { length, ..channel::answer(&job.header, FrameKind::Response) };
        self.forward(&Frame { header, payload });
        Ok(())
    }

    /// Sends what the socket takes.
    fn flush(&mut self) -> io::Result<()> {
        loop {
            let (piece, _) = self.unsent.as_slices();
            if piece.is_empty() {
                return Ok(());
            }
            let sent = system::send_some(self.application.as_fd(), piece)?;
            if sent == 0 {
                return Ok(());
            }
            self.unsent.drain(..sent);
        }
    }
}

/// The build log of a request that two workers died of.
fn failure(job: &Job, first: &Death, second: &Death) -> BuildFailure {
    let kernels = kernels_of(job);
    let mut failure = BuildFailure::new(Stage::CompilerProcess, second.sentence(&kernels));
    let mut note = |message: String| {
        failure.diagnostics.push(Diagnostic { severity: Severity::Note, ..Diagnostic::error(message) });
    };
    note(format!(
        "this was the second try, alone and at the cheap tier; the first died at {}: {}",
        first.place(),
        first.cause()
    ));
    if let Some(printed) = second.remains() {
        note(format!("it printed: {printed}"));
    }
    failure
}

/// The build log of a source that a worker died of.
fn source_failure(death: &Death, first: Option<&Death>) -> BuildFailure {
    let mut failure = BuildFailure::new(Stage::CompilerProcess, death.sentence("the program's source"));
    let mut note = |message: String| {
        failure.diagnostics.push(Diagnostic { severity: Severity::Note, ..Diagnostic::error(message) });
    };
    if let Some(first) = first.filter(|first| first.reason().is_none() || first.reason() != death.reason()) {
        note(format!("this was the second try; the first died: {}", first.cause()));
    }
    if let Some(printed) = death.remains() {
        note(format!("it printed: {printed}"));
    }
    failure
}

/// The kernels of a job, in words.
fn kernels_of(job: &Job) -> String {
    const NAMED: usize = 8;
    let kernels = match decode::<CompileRequest>(&job.payload) {
        Ok(request) if !request.kernels.is_empty() => request.kernels,
        _ => return "the kernels of the program".into(),
    };
    let names: Vec<String> = kernels.iter().take(NAMED).map(|name| format!("'{name}'")).collect();
    let more = match kernels.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("kernel {}{more}", names.join(", "))
}
