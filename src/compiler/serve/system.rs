//! The system calls of supervisor and workers, each behind a safe function.
#![allow(
    unsafe_code,
    reason = "fork, poll, wait, clocks and descriptors have no safe interface in the standard library"
)]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The descriptor that the supervisor, and after the fork a worker, has its socket at.
pub(crate) const SOCKET: RawFd = 3;

fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// Takes possession of the socket at [`SOCKET`].
///
/// # Errors
/// There is no open descriptor at that number.
pub(crate) fn adopt_socket() -> io::Result<UnixStream> {
    // SAFETY: F_SETFD only sets a flag of the descriptor, and fails if that is not open.
    check(unsafe { libc::fcntl(SOCKET, libc::F_SETFD, libc::FD_CLOEXEC) })?;
    // SAFETY: it is open, and nothing else in this program owns it: it is the one that the parent left for us.
    Ok(UnixStream::from(unsafe { OwnedFd::from_raw_fd(SOCKET) }))
}

/// Puts signal handling into the state of a fresh program, whatever the application left behind; SIGPIPE is ignored.
pub(crate) fn reset_signals() {
    for signal in 1..=64 {
        let action = if signal == libc::SIGPIPE { libc::SIG_IGN } else { libc::SIG_DFL };
        // SAFETY: no handler is installed, only dispositions; numbers that the system reserves are refused.
        unsafe { libc::signal(signal, action) };
    }
    // SAFETY: an empty set, made by the call for it, becomes the mask of this thread, which is the only one yet.
    unsafe {
        let mut none = std::mem::zeroed();
        libc::sigemptyset(&mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &none, std::ptr::null_mut());
    }
}

/// Which side of a fork this is.
pub(crate) enum Fork {
    /// The supervisor, with the worker's process id.
    Parent(libc::pid_t),
    /// The worker.
    Child,
}

/// Forks. The supervisor's first thread only waits for the thread that forks, so that the child may do anything.
pub(crate) fn fork() -> io::Result<Fork> {
    // SAFETY: the thread that the child lacks waits in a system call, with no lock held.
    match check(unsafe { libc::fork() })? {
        0 => Ok(Fork::Child),
        pid => Ok(Fork::Parent(pid)),
    }
}

/// Turns a fresh child into a worker: `socket` moves to [`SOCKET`] and `errors` to standard error, every other
/// descriptor is closed, the limits apply, and the worker dies with the supervisor.
pub(crate) fn become_worker(socket: RawFd, errors: RawFd, memory: u64) -> io::Result<UnixStream> {
    // SAFETY: plain descriptor calls; what they close belongs to values that this process never uses or drops again,
    // because a worker leaves through `exit` only.
    unsafe {
        // Out of the way first if either sits at the other's place: no more descriptors than needed, there may be few.
        let socket = if socket <= SOCKET { check(libc::fcntl(socket, libc::F_DUPFD, SOCKET + 1))? } else { socket };
        let errors = if errors <= SOCKET { check(libc::fcntl(errors, libc::F_DUPFD, SOCKET + 1))? } else { errors };
        check(libc::dup2(socket, SOCKET))?;
        check(libc::dup2(errors, 2))?;
        if libc::syscall(libc::SYS_close_range, 4, libc::c_uint::MAX, 0) != 0 {
            for descriptor in 4..1024 {
                libc::close(descriptor);
            }
        }
        check(libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL))?;
    }
    limit(Resource::As, memory)?;
    limit(Resource::Core, 0)?;
    adopt_socket()
}

/// Sets a limit. A tighter one of the application's stays.
fn limit(resource: Resource, most: u64) -> io::Result<()> {
    let most = Some(getrlimit(resource).maximum.map_or(most, |current| current.min(most)));
    Ok(setrlimit(resource, Rlimit { current: most, maximum: most })?)
}

/// How many descriptors this process may have; `None` if there is no end.
pub(crate) fn descriptor_limit() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}

/// Whether the application could start this program again. After an upgrade or a removal it could not: a file that took
/// the place of this one's is of another build.
pub(crate) fn may_start_again() -> bool {
    // The kernel marks the name of a file that is gone, and nothing is there under the marked name.
    !std::env::current_exe().is_ok_and(|path| !path.exists())
}

/// Lets this thread run on the processor time that others leave, and gives its number.
pub(crate) fn lower_thread() -> libc::pid_t {
    // SAFETY: always succeeds and touches nothing.
    let number = unsafe { libc::gettid() };
    set_background(number, true);
    number
}

/// Lets the child or thread `pid` run on the processor time that others leave, or with the priority of the thread that
/// asks; false if the system does not let it.
pub(crate) fn set_background(pid: libc::pid_t, background: bool) -> bool {
    let mut parameters = libc::sched_param { sched_priority: 0 };
    // SAFETY: the structure is valid, and `pid` a child of ours that was not waited for, or a thread; 0 is the thread
    // that asks, which has what the application has.
    unsafe {
        let policy = if background { libc::SCHED_IDLE } else { libc::sched_getscheduler(0) };
        if !background {
            libc::sched_getparam(0, &mut parameters);
        }
        policy >= 0 && libc::sched_setscheduler(pid, policy, &parameters) == 0
    }
}

/// Leaves at once, without the destructors and exit handlers that were inherited.
pub(crate) fn exit(status: i32) -> ! {
    // SAFETY: `_exit` never returns and touches nothing of ours.
    unsafe { libc::_exit(status) }
}

/// Kills the worker `pid`, if it still runs, and tells how it ended. If it had ended before, that is the answer.
pub(crate) fn kill_and_reap(pid: libc::pid_t) -> Option<ExitStatus> {
    let mut status = 0;
    // SAFETY: `pid` is a child of ours that was not waited for, so the number cannot belong to another process.
    unsafe {
        libc::kill(pid, libc::SIGKILL);
        loop {
            if libc::waitpid(pid, &mut status, 0) == pid {
                return Some(ExitStatus::from_raw(status));
            }
            if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
                return None;
            }
        }
    }
}

/// Processor time that this process has used.
pub fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure is valid; the clock exists on every Linux.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Processor time that the child `pid` has used; `None` if that cannot be learned.
pub(crate) fn processor_time_of(pid: libc::pid_t) -> Option<Duration> {
    let (mut clock, mut time) = (0, libc::timespec { tv_sec: 0, tv_nsec: 0 });
    // SAFETY: both calls get valid places; a process that is gone has no clock.
    let known =
        unsafe { libc::clock_getcpuclockid(pid, &mut clock) == 0 && libc::clock_gettime(clock, &mut time) == 0 };
    known.then(|| Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
}

/// Sends a signal to this process.
pub(crate) fn raise(signal: i32) {
    // SAFETY: sends a signal to this process; at worst it ends.
    unsafe { libc::raise(signal) };
}

/// Sends what the socket takes without blocking, and tells how many bytes that was.
pub(crate) fn send_some(socket: BorrowedFd<'_>, bytes: &[u8]) -> io::Result<usize> {
    let flags = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
    // SAFETY: the range is valid for its length.
    let sent = unsafe { libc::send(socket.as_raw_fd(), bytes.as_ptr().cast(), bytes.len(), flags) };
    match usize::try_from(sent) {
        Ok(sent) => Ok(sent),
        Err(_) => match io::Error::last_os_error() {
            error if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => Ok(0),
            error => Err(error),
        },
    }
}

/// What to wait for, and, afterwards, what came.
pub(crate) struct Watched<'a> {
    /// The descriptor.
    pub(crate) descriptor: BorrowedFd<'a>,
    /// Whether there are bytes to write. Whether it can be read is always of interest.
    pub(crate) write: bool,
}

/// Waits until one of `watched` can be read, is hung up, or can be written where that is of interest, at most
/// `milliseconds` (negative: for ever). The answer, parallel to `watched`, is which can be read or are hung up.
pub(crate) fn poll(watched: &[Watched<'_>], milliseconds: i32) -> io::Result<Vec<bool>> {
    let mut polled: Vec<libc::pollfd> = watched
        .iter()
        .map(|watched| libc::pollfd {
            fd: watched.descriptor.as_raw_fd(),
            events: if watched.write { libc::POLLIN | libc::POLLOUT } else { libc::POLLIN },
            revents: 0,
        })
        .collect();
    // SAFETY: the array is valid for its length.
    let result = unsafe { libc::poll(polled.as_mut_ptr(), polled.len() as libc::nfds_t, milliseconds) };
    match check(result) {
        Ok(_) => Ok(polled.iter().map(|entry| entry.revents & !libc::POLLOUT != 0).collect()),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(vec![false; watched.len()]),
        Err(error) => Err(error),
    }
}
