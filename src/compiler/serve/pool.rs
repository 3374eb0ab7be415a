//! One worker as the supervisor sees it.

use std::io::{self, Read};
use std::num::NonZeroU32;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use oxicl_protocol::{FrameHeader, FrameKind, Progress, decode};

use super::budget::{self, Meter, Stop};
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
    /// As the application sent it; its measure of the work grows with what workers learn.
    pub(crate) header: FrameHeader,
    /// As the application sent it.
    pub(crate) payload: Vec<u8>,
    /// Processor time that the user allows, instead of what follows from the work.
    pub(crate) seconds: Option<NonZeroU32>,
    /// How earlier tries ended.
    pub(crate) deaths: Vec<Death>,
    /// Somebody waits for it.
    pub(crate) is_urgent: bool,
}

/// The order of jobs. Of each rank as many may run at a time as there may be workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rank {
    /// A build waits for it: a source or a proof, never code.
    Build,
    /// Somebody waits for code.
    Wanted,
    /// Nobody waits for it.
    Background,
}

impl Job {
    /// Its rank now.
    pub(crate) fn rank(&self) -> Rank {
        match self.header.kind {
            FrameKind::Source | FrameKind::Prove => Rank::Build,
            _ if self.is_urgent => Rank::Wanted,
            _ => Rank::Background,
        }
    }

    /// Processor time for all of it.
    pub(crate) fn budget(&self) -> Duration {
        budget::budget(self.header.instructions, self.seconds)
    }

    /// What of that is left for the try that begins, or goes on.
    fn rest(&self) -> Duration {
        self.budget().saturating_sub(self.deaths.iter().map(|death| death.used).sum())
    }

    /// The kind of its next try. If the baseline tier made the last one fail, it is the full tier, whose code computes
    /// the same bits, and mostly lacks what made the other fail. After any other death it is the cheap tier.
    fn kind_of_try(&self) -> FrameKind {
        match (self.header.kind, self.deaths.last()) {
            (FrameKind::Request | FrameKind::Background, Some(death)) if death.full_tier_may_help() => {
                FrameKind::FullRequest
            }
            (FrameKind::Request | FrameKind::Background, Some(_)) => FrameKind::CheapRequest,
            (FrameKind::Background, None) => FrameKind::Request,
            (FrameKind::Prove, Some(_)) => FrameKind::ProveAgain,
            (FrameKind::Source, Some(_)) => FrameKind::SourceAgain,
            (kind, _) => kind,
        }
    }

    /// Whether there is another try after those that have ended, and `death`.
    pub(crate) fn is_tried_after(&self, death: &Death) -> bool {
        let may_help = match self.header.kind {
            // Sources are compiled in one way only: what a fresh compiler died of, it will die of again.
            FrameKind::Source => death.may_not_repeat(),
            _ => death.cheaper_may_help(),
        };
        may_help && self.deaths.iter().all(Death::full_tier_may_help)
    }
}

/// A job in a worker.
struct Running {
    job: Job,
    meter: Meter,
    progress: Option<Progress>,
    /// Since when somebody waits for it in a worker of low priority, and the worker's processor time by then.
    urged: Option<(Instant, Duration)>,
}

/// A cost: a job in a worker of low priority that somebody waits for is looked at after this long, which most jobs do
/// not take. If it has had less than half a processor, it begins anew in a worker of full priority.
pub(crate) const URGED_LOOK: Duration = Duration::from_millis(30);

/// A worker process.
pub(crate) struct Worker {
    pid: libc::pid_t,
    socket: UnixStream,
    errors: UnixStream,
    gather: Gather,
    running: Option<Running>,
    idle_since: Instant,
    served: u32,
    /// It runs on the processor time that others leave.
    in_background: bool,
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
                in_background: false,
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

    /// The least time until its job, if it has one, may be past its limits: a worker is one thread, so processor time
    /// does not pass faster than any other.
    pub(crate) fn least_time(&self) -> Option<Duration> {
        self.running.as_ref().map(|running| running.meter.least_time(running.job.rest()))
    }

    /// Why it has to be stopped, if it has.
    pub(crate) fn overdue(&mut self, now: Instant) -> Option<Stop> {
        let running = self.running.as_mut()?;
        running.meter.look(now, system::processor_time_of(self.pid), running.job.rest())
    }

    /// Gives it the priority for a job. False if it has another one, as the system may not let a lowered priority be
    /// raised.
    pub(crate) fn suit(&mut self, is_urgent: bool) -> bool {
        if self.in_background == is_urgent && system::set_background(self.pid, !is_urgent) {
            self.in_background = !is_urgent;
        }
        self.in_background != is_urgent
    }

    /// The rank of its job, if it has one.
    pub(crate) fn rank(&self) -> Option<Rank> {
        self.running.as_ref().map(|running| running.job.rank())
    }

    /// Somebody now waits for the job `id`. False if it is not this worker's.
    pub(crate) fn urge(&mut self, id: u64) -> bool {
        let Some(running) = self.running.as_mut().filter(|running| running.job.header.id == id) else { return false };
        if !std::mem::replace(&mut running.job.is_urgent, true) {
            running.urged = Some((Instant::now(), system::processor_time_of(self.pid).unwrap_or_default()));
        }
        self.suit(true);
        true
    }

    /// Whether somebody waits for its job, and it gets less than half a processor.
    pub(crate) fn is_starved(&self, now: Instant) -> bool {
        let urged = self.running.as_ref().and_then(|running| running.urged).filter(|_| self.in_background);
        urged.is_some_and(|(since, used)| {
            let waited = now.saturating_duration_since(since);
            let used = system::processor_time_of(self.pid).unwrap_or_default().saturating_sub(used);
            waited >= URGED_LOOK && used < waited / 2
        })
    }

    /// Whether its job is to be looked at soon.
    pub(crate) fn is_watched(&self) -> bool {
        self.in_background && self.running.as_ref().is_some_and(|running| running.urged.is_some())
    }

    /// What to poll.
    pub(crate) fn descriptor(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// Gives it a job. If it is dead already, its socket tells so next.
    pub(crate) fn assign(&mut self, job: Job) {
        let kind = job.kind_of_try();
        let _ = channel::send(&self.socket, channel::answer(&job.header, kind), &job.payload);
        let may_be_cheaper = matches!(kind, FrameKind::Request | FrameKind::FullRequest);
        let meter = Meter::new(Instant::now(), system::processor_time_of(self.pid), may_be_cheaper);
        self.served += 1;
        self.running = Some(Running { job, meter, progress: None, urged: None });
    }

    /// Reads what its socket has. What comes before an answer goes to `steps`.
    pub(crate) fn read(&mut self, steps: &mut Vec<Frame>) -> Event {
        if !matches!(self.gather.read_some(&self.socket), Ok(true)) {
            return Event::Gone;
        }
        loop {
            match self.gather.next() {
                Ok(Some(frame)) if frame.header.kind == FrameKind::Progress => {
                    if let (Some(running), Ok(progress)) = (&mut self.running, decode(&frame.payload)) {
                        running.meter.progress(&progress, system::processor_time_of(self.pid));
                        running.progress = Some(progress);
                        let known = &mut running.job.header.instructions;
                        *known = frame.header.instructions.max(*known);
                    }
                }
                Ok(Some(frame)) if matches!(frame.header.kind, FrameKind::Proved | FrameKind::Planned) => {
                    steps.push(frame);
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

    /// Ends it, for the reason `stop` or because it is gone. Gives its job, if it had one, and how it died.
    pub(crate) fn end(mut self, stop: Option<Stop>) -> Option<(Job, Death)> {
        let status = system::kill_and_reap(self.pid);
        let Running { job, meter, progress, .. } = self.running?;
        let mut death =
            Death { status, stop, used: meter.used(), progress, was_fresh: self.served == 1, ..Death::default() };
        let mut printed = Vec::new();
        // The worker was the only other holder, so this ends.
        let _ = self.errors.read_to_end(&mut printed);
        death.print(&printed);
        Some((job, death))
    }
}
