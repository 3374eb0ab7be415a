//! One worker as the supervisor sees it.

use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use oxicl_protocol::{FrameHeader, FrameKind, Progress, decode};

use super::channel::{self, Frame, Gather};
use super::death::Death;
use super::system::{self, Fork};
use super::{Extras, worker};

/// Address space of a worker, in bytes.
pub(crate) const MEMORY_LIMIT: u64 = 4 << 30;

/// A worker is replaced after this many requests, so that what LLVM leaks does not add up.
const REQUESTS_PER_WORKER: u32 = 256;

/// A request on its way.
pub(crate) struct Job {
    /// As the application sent it.
    pub(crate) header: FrameHeader,
    /// As the application sent it.
    pub(crate) payload: Vec<u8>,
    /// How the first try ended, when this is the second.
    pub(crate) first_death: Option<Death>,
}

impl Job {
    /// 8 s, and 1 s more for every 1,000 instructions.
    pub(crate) fn time_limit(&self) -> Duration {
        Duration::from_secs(8) + Duration::from_millis(u64::from(self.header.instructions))
    }
}

/// A job in a worker.
struct Running {
    job: Job,
    deadline: Instant,
    progress: Option<Progress>,
}

/// A worker process.
pub(crate) struct Worker {
    pid: libc::pid_t,
    socket: UnixStream,
    errors: UnixStream,
    gather: Gather,
    running: Option<Running>,
    idle_since: Instant,
    served: u32,
}

/// What a worker's socket brought.
pub(crate) enum Event {
    /// Nothing whole yet.
    Nothing,
    /// The answer to its job, to be forwarded.
    Answer(Frame),
    /// The process is gone, or about to be.
    Gone,
}

impl Worker {
    /// Forks a worker. In the child this does not return.
    pub(crate) fn start(extras: &Extras) -> io::Result<Worker> {
        let (socket, theirs) = UnixStream::pair()?;
        let (errors, their_errors) = UnixStream::pair()?;
        // Nobody reads while it runs: what does not fit is lost, and does not block it.
        their_errors.set_nonblocking(true)?;
        match system::fork()? {
            Fork::Child => match system::become_worker(theirs.as_raw_fd(), their_errors.as_raw_fd(), MEMORY_LIMIT) {
                Ok(socket) => worker::run(&socket, extras),
                Err(_) => system::exit(1),
            },
            Fork::Parent(pid) => Ok(Worker {
                pid,
                socket,
                errors,
                gather: Gather::default(),
                running: None,
                idle_since: Instant::now(),
                served: 0,
            }),
        }
    }

    /// True if it waits for work.
    pub(crate) fn is_idle(&self) -> bool {
        self.running.is_none()
    }

    /// True if it never had work.
    pub(crate) fn is_fresh(&self) -> bool {
        self.served == 0
    }

    /// True if it should not get another request.
    pub(crate) fn is_worn(&self) -> bool {
        self.is_idle() && self.served >= REQUESTS_PER_WORKER
    }

    /// How long it has waited for work.
    pub(crate) fn idle_for(&self, now: Instant) -> Option<Duration> {
        self.is_idle().then(|| now.saturating_duration_since(self.idle_since))
    }

    /// The deadline of its job, if it has one.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.running.as_ref().map(|running| running.deadline)
    }

    /// What to poll.
    pub(crate) fn descriptor(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// Gives it a job. If it is dead already, its socket tells so next.
    pub(crate) fn assign(&mut self, job: Job) {
        let kind = match (job.header.kind, &job.first_death) {
            (FrameKind::Request, Some(_)) => FrameKind::CheapRequest,
            (FrameKind::Source, Some(_)) => FrameKind::SourceAgain,
            (kind, _) => kind,
        };
        let _ = channel::send(&self.socket, channel::answer(&job.header, kind), &job.payload);
        let deadline = Instant::now() + job.time_limit();
        self.served += 1;
        self.running = Some(Running { job, deadline, progress: None });
    }

    /// Reads what its socket has.
    pub(crate) fn read(&mut self) -> Event {
        if !matches!(self.gather.read_some(&self.socket), Ok(true)) {
            return Event::Gone;
        }
        loop {
            match self.gather.next() {
                Ok(Some(frame)) if frame.header.kind == FrameKind::Progress => {
                    if let (Some(running), Ok(progress)) = (&mut self.running, decode(&frame.payload)) {
                        running.progress = Some(progress);
                    }
                }
                Ok(Some(frame)) if frame.header.kind == FrameKind::Response => {
                    self.running = None;
                    self.idle_since = Instant::now();
                    return Event::Answer(frame);
                }
                Ok(None) => return Event::Nothing,
                _ => return Event::Gone,
            }
        }
    }

    /// Ends it, and gives its job, if it had one, together with the story of its end.
    pub(crate) fn end(mut self, now: Instant) -> Option<(Job, Death)> {
        let status = system::kill_and_reap(self.pid);
        let Running { job, deadline, progress } = self.running?;
        let mut death = Death {
            status,
            deadline: (now >= deadline).then(|| job.time_limit()),
            progress,
            was_fresh: self.served == 1,
            ..Death::default()
        };
        let mut printed = Vec::new();
        // The worker was the only other holder, so this ends.
        let _ = self.errors.read_to_end(&mut printed);
        death.print(&printed);
        Some((job, death))
    }
}
