//! The supervisor: takes requests, hands them to workers, and answers for those that die.
//!
//! One thread serves, with one `poll`. Everything ends when the application closes its end of the socket. The first
//! workers are forked before anything of LLVM has run, so that they begin with the first requests at once. Meanwhile
//! another thread warms the supervisor up for workers that are forked later.

use std::collections::VecDeque;
use std::io;
use std::num::NonZeroU32;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use oxicl_caps::Dump;
use oxicl_protocol::{
    ALIVE_EVERY, BuildFailure, CompileResponse, FrameHeader, FrameKind, SourceResponse, Stage, encode,
};

use super::budget::Stop;
use super::channel::{self, Frame, Gather};
use super::pool::{Event, Job, Rank, URGED_LOOK, Worker};
use super::system::{self, Watched};
use super::warm::Warming;
use super::{Fault, log};

/// Workers, and finally the supervisor, leave when there was nothing to do for this long.
const IDLE: Duration = Duration::from_secs(10);

/// The stack that all of the compiler runs on, in bytes: the code generator recurses on the depth of expressions. Only
/// what is touched takes memory.
const STACK: usize = 64 << 20;

/// Descriptors that a supervisor has open when it forks its first worker: its own, and two socket pairs. Used only in
/// what the build log says if fewer are allowed.
const DESCRIPTORS: u64 = 8;

/// Workers that are forked before the supervisor is warm: one compiles the first kernel while the other has the next
/// build. A cost: each takes as long to get warm as the supervisor.
const FIRST_WORKERS: usize = 2;

/// A cost: how often a job that waits for the supervisor to be warm makes it look whether it is. Warming takes some ten
/// times as long.
const WARMING_LOOK: Duration = Duration::from_millis(1);

/// Tells the application that the supervisor is alive.
const ALIVE: FrameHeader = FrameHeader { kind: FrameKind::Alive, id: 0, length: 0, instructions: 0 };

/// What workers do beside their work.
#[derive(Debug, Default)]
pub struct Extras {
    /// They bring a fault on themselves, for tests.
    pub fault: Option<Fault>,
    /// What they write of each request.
    pub dump: Option<Dump>,
    /// How much processor time a request may use, in seconds, instead of what follows from its size.
    pub build_seconds: Option<NonZeroU32>,
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
    /// While it lasts, no worker is forked: a process of several threads may not do that.
    warming: Warming,
    quiet_since: Instant,
    /// When the application was last told that the supervisor is alive.
    told: Instant,
}

/// Serves the application at the inherited socket until it is gone, or nothing was asked for 10 s and another
/// supervisor could take this one's place.
///
/// # Errors
/// There is no such socket, or the connection broke; the application starts another supervisor when it needs one.
pub fn serve(workers: usize, extras: Extras) -> io::Result<()> {
    system::reset_signals();
    // The first thread's stack has the limit of the application, which may be far too low, and out of our hands.
    // Workers are forked from the thread that is started here, and have its stack.
    let server = std::thread::Builder::new().stack_size(STACK).spawn(move || serve_here(workers, extras))?;
    server.join().unwrap_or_else(|_| Err(io::Error::other("the supervisor panicked")))
}

fn serve_here(workers: usize, extras: Extras) -> io::Result<()> {
    let application = system::adopt_socket()?;
    // Before the first thing that takes long, so that the application knows that this is a compiler.
    channel::send(&application, ALIVE, &[])?;
    // If none can be forked, the first requests wait until the supervisor is warm.
    let first = (0..FIRST_WORKERS).map_while(|_| Worker::start(&extras).ok()).collect();
    let mut supervisor = Supervisor {
        application,
        gather: Gather::default(),
        unsent: VecDeque::new(),
        queue: VecDeque::new(),
        workers: first,
        most_workers: workers.max(1),
        extras,
        warming: Warming::start(),
        quiet_since: Instant::now(),
        told: Instant::now(),
    };
    let result = supervisor.run();
    for worker in supervisor.workers.drain(..) {
        worker.end(None);
    }
    result
}

impl Supervisor {
    fn run(&mut self) -> io::Result<()> {
        loop {
            if self.warming.advance() {
                self.end_workers_without_work();
            }
            self.assign()?;
            if self.has_work() {
                self.quiet_since = Instant::now();
                self.tell_of_life();
            } else if self.quiet_since.elapsed() >= IDLE {
                if system::may_start_again() {
                    return Ok(());
                }
                self.quiet_since = Instant::now();
            }
            self.flush()?;
            let ready = self.wait()?;
            let (application_ready, workers_ready) = ready.split_first().unwrap_or((&false, &[]));
            // From the back, so that a removal leaves the indices before it alone.
            for (index, _) in workers_ready.iter().enumerate().rev().filter(|(_, ready)| **ready) {
                let mut steps = Vec::new();
                let event = self.workers[index].read(&mut steps);
                steps.iter().for_each(|step| self.forward(step));
                match event {
                    Event::Nothing => {}
                    Event::Answer(frame) => self.forward(&frame),
                    Event::Gone => self.bury(index, None)?,
                }
            }
            self.enforce_limits()?;
            if *application_ready && !self.listen()? {
                return Ok(());
            }
        }
    }

    fn has_work(&self) -> bool {
        !self.queue.is_empty() || !self.unsent.is_empty() || self.workers.iter().any(|worker| !worker.is_idle())
    }

    /// Tells an application that waits for an answer, now and then, that the supervisor is alive. Anything unsent tells
    /// as much.
    fn tell_of_life(&mut self) {
        if self.told.elapsed() >= ALIVE_EVERY && self.unsent.is_empty() {
            self.unsent.extend(ALIVE.to_bytes());
            self.told = Instant::now();
        }
    }

    /// Gives waiting jobs to workers, forking as many as are allowed and needed. No job waits for those of a later
    /// rank.
    fn assign(&mut self) -> io::Result<()> {
        for rank in [Rank::Build, Rank::Wanted, Rank::Background] {
            while let Some(at) = self.queue.iter().position(|job| job.rank() == rank) {
                let Some(job) = self.queue.remove(at) else { break };
                match self.worker_for(&job) {
                    Ok(Some(index)) => self.workers[index].assign(job),
                    Ok(None) => {
                        self.queue.insert(at, job);
                        break;
                    }
                    Err(error) => self.respond_that_none_starts(&job, &error)?,
                }
            }
        }
        Ok(())
    }

    fn respond_that_none_starts(&mut self, job: &Job, error: &io::Error) -> io::Result<()> {
        let limit = system::descriptor_limit()
            .filter(|limit| *limit < DESCRIPTORS)
            .map(|limit| format!("; it takes {DESCRIPTORS} descriptors, of which this process may have {limit}"));
        let message = format!("a compiler worker cannot be started: {error}{}", limit.unwrap_or_default());
        self.respond(job, BuildFailure::new(Stage::CompilerProcess, message))
    }

    /// Index of the worker for a job; none if the job has to wait for one.
    ///
    /// # Errors
    /// There is no process to be had, and none that the job could wait for.
    fn worker_for(&mut self, job: &Job) -> io::Result<Option<usize>> {
        let busy = self.workers.iter().filter(|worker| !worker.is_idle()).count();
        let of_its_rank = self.workers.iter().filter(|worker| worker.rank() == Some(job.rank())).count();
        if of_its_rank >= self.most_workers {
            return Ok(None);
        }
        // Another try needs a worker that compiled nothing, so that nothing of an earlier request can hurt it.
        let fits = |worker: &mut Worker| {
            worker.is_idle() && (job.deaths.is_empty() || worker.is_fresh()) && worker.suit(job.is_urgent)
        };
        let found = self.workers.iter_mut().position(fits);
        if found.is_some() {
            return Ok(found);
        }
        if !self.warming.is_over() {
            self.warming.hurry();
            return Ok(None);
        }
        if self.workers.len() >= 2 * self.most_workers
            && let Some(replaced) = self.workers.iter().position(Worker::is_idle)
        {
            self.workers.swap_remove(replaced).end(None);
        }
        // Where there can be no more processes, one that has nothing to do makes room.
        let started = Worker::start(&self.extras).or_else(|error| {
            let idle = self.workers.iter().position(Worker::is_idle).ok_or(error)?;
            self.workers.swap_remove(idle).end(None);
            Worker::start(&self.extras)
        });
        match started {
            Ok(mut worker) => {
                worker.suit(job.is_urgent);
                self.workers.push(worker);
            }
            Err(_) if busy > 0 && job.deaths.is_empty() => return Ok(None),
            Err(error) => return Err(error),
        }
        Ok(Some(self.workers.len() - 1))
    }

    /// Waits for something to happen or the next limit to pass. The answer is the application, then the workers.
    fn wait(&self) -> io::Result<Vec<bool>> {
        let now = Instant::now();
        let limits = self.workers.iter().filter_map(Worker::least_time);
        let idle = self.workers.iter().filter_map(|worker| worker.idle_for(now)).map(|idle| IDLE - idle.min(IDLE));
        let regular = if self.has_work() { ALIVE_EVERY } else { IDLE.saturating_sub(self.quiet_since.elapsed()) };
        let watched = self.workers.iter().filter(|worker| worker.is_watched()).map(|_| URGED_LOOK);
        let warming = (!self.queue.is_empty() && !self.warming.is_over()).then_some(WARMING_LOOK);
        let next = limits.chain(idle).chain(watched).chain(warming).min().unwrap_or(regular).min(regular);
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
                FrameKind::Request | FrameKind::Background | FrameKind::Prove => {}
                FrameKind::Source => self.warming.add_front_end(),
                FrameKind::Urge => {
                    self.urge(header.id);
                    continue;
                }
                _ => {
                    return Err(io::Error::new(
                        io::ErrorKind::InvalidData,
                        "the application sent something else than a request",
                    ));
                }
            }
            let seconds = self.extras.build_seconds;
            let is_urgent = header.kind != FrameKind::Background;
            self.queue.push_back(Job { header, payload, seconds, deaths: Vec::new(), is_urgent });
        }
        Ok(true)
    }

    /// Somebody waits for a request, unless it was answered meanwhile.
    fn urge(&mut self, id: u64) {
        if let Some(job) = self.queue.iter_mut().find(|job| job.header.id == id) {
            job.is_urgent = true;
        }
        let _ = self.workers.iter_mut().any(|worker| worker.urge(id));
    }

    /// Ends workers that never had work: those that are forked from now on are warm.
    fn end_workers_without_work(&mut self) {
        for index in (0..self.workers.len()).rev() {
            if self.workers[index].is_fresh() {
                self.workers.swap_remove(index).end(None);
            }
        }
    }

    /// Ends workers that are past their limits, worn out, or idle for too long.
    fn enforce_limits(&mut self) -> io::Result<()> {
        let now = Instant::now();
        for index in (0..self.workers.len()).rev() {
            let worker = &mut self.workers[index];
            if worker.is_starved(now) {
                if let Some((job, _)) = self.workers.swap_remove(index).end(None) {
                    self.queue.push_front(job);
                }
                continue;
            }
            let stop = worker.overdue(now);
            let idle = worker.idle_for(now).is_some_and(|idle| idle >= IDLE);
            if stop.is_some() || idle || worker.is_worn() {
                self.bury(index, stop)?;
            }
        }
        Ok(())
    }

    /// Ends a worker; its job is tried once more where that can help, or answered with how the worker died.
    fn bury(&mut self, index: usize, stop: Option<Stop>) -> io::Result<()> {
        let Some((mut job, death)) = self.workers.swap_remove(index).end(stop) else { return Ok(()) };
        if job.is_tried_after(&death) {
            job.deaths.push(death);
            self.queue.push_front(job);
            return Ok(());
        }
        let failure = log::failure(&job, &death);
        self.respond(&job, failure)
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
