//! Starts the compiler so that the application does not notice.
#![allow(unsafe_code, reason = "clone, exec, socketpair, clocks and dladdr")]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr;
use std::time::Duration;

use rustix::process::{Pid, PidfdFlags, Resource, Rlimit, getrlimit, pidfd_open, setrlimit};

/// Name of the executable.
const NAME: &str = "oxicl-compiler";

/// The descriptor at which the compiler expects its socket.
const COMPILER_SOCKET: RawFd = 3;

/// How many descriptors the compiler may have, if the application's hard limit allows: two for each worker, and some. A
/// cost: with fewer, fewer workers run at a time.
const DESCRIPTORS: u64 = 1024;

/// The stack that loading the compiler's libraries takes, in bytes; the compiler makes the stacks that it works on
/// itself. Measured: 80 KiB suffice on one machine, 64 KiB on none.
const LEAST_STACK: u64 = 128 << 10;

/// Stack of the two short-lived children, in bytes each.
const STACK: usize = 64 * 1024;

/// The whole environment of the compiler: nothing of the application's, above all no LD_LIBRARY_PATH or LD_PRELOAD.
const ENVIRONMENT: &[&CStr] = &[c"LC_ALL=C", c"PATH=/usr/bin:/bin"];

/// The effective user.
pub(crate) fn user() -> u32 {
    // SAFETY: always succeeds and touches nothing.
    unsafe { libc::geteuid() }
}

/// Absolute path of the compiler: `chosen`, or the executable beside the library that this code is part of.
pub(crate) fn find_compiler(chosen: Option<&Path>) -> Result<PathBuf, String> {
    // SAFETY: asks the kernel's auxiliary vector for a number.
    let privileged = unsafe { libc::getauxval(libc::AT_SECURE) } != 0;
    // A program with more rights than its caller must not run what its caller names.
    if let Some(path) = chosen.filter(|_| !privileged) {
        return Ok(path.to_owned());
    }
    let library =
        own_path().ok_or("the library does not know its own path, so it cannot find the compiler beside it")?;
    match library.parent() {
        Some(folder) => Ok(folder.join(NAME)),
        None => Err(format!("the library at {} is in no folder", library.display())),
    }
}

fn own_path() -> Option<PathBuf> {
    // SAFETY: all-zero is a valid value of this plain structure.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: the address is one of our own functions, and the structure is valid; the name that dladdr gives lives as
    // long as the library that we are part of, and is copied at once.
    let name = unsafe {
        if libc::dladdr(own_path as *const c_void, &mut info) == 0 || info.dli_fname.is_null() {
            return None;
        }
        CStr::from_ptr(info.dli_fname).to_owned()
    };
    Path::new(std::ffi::OsStr::from_bytes(name.to_bytes())).canonicalize().ok()
}

/// Why a compiler may end as soon as it starts, if the application's limits are the reason.
pub(crate) fn too_little_stack() -> Option<String> {
    let limit = getrlimit(Resource::Stack).maximum.filter(|limit| *limit < LEAST_STACK)?;
    let (limit, least) = (limit >> 10, LEAST_STACK >> 10);
    Some(format!("the compiler needs a stack of {least} KiB to start; the hard limit of this process is {limit} KiB"))
}

/// A compiler that was started.
pub(crate) struct Started {
    /// Our end of the connection.
    pub(crate) socket: OwnedFd,
    /// Its process, where the kernel gives a descriptor for that.
    pub(crate) process: Option<OwnedFd>,
    /// Its process id, which may be another process's once it has ended.
    number: libc::pid_t,
}

impl Started {
    /// Processor time that it has used; `None` if that cannot be learned.
    pub(crate) fn processor_time(&self) -> Option<Duration> {
        let (mut clock, mut time) = (0, libc::timespec { tv_sec: 0, tv_nsec: 0 });
        // SAFETY: both calls get valid places; a process that is gone has no clock.
        let known = unsafe {
            libc::clock_getcpuclockid(self.number, &mut clock) == 0 && libc::clock_gettime(clock, &mut time) == 0
        };
        known.then(|| Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
    }
}

fn socket_pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    // SAFETY: the array has room for the two descriptors.
    let failed =
        unsafe { libc::socketpair(libc::AF_UNIX, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0, ends.as_mut_ptr()) } != 0;
    if failed {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: both are open and nobody else's.
    Ok(unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) })
}

/// What the children need; everything is made before they exist, because they may not allocate.
struct Plan {
    program: *const c_char,
    arguments: *const *const c_char,
    environment: *const *const c_char,
    socket: RawFd,
    /// Stack of the grandchild: its highest address.
    stack: *mut c_void,
    /// The grandchild's process id, if there is one; written by the intermediate child.
    started: libc::pid_t,
    /// What failed, as a name and `errno`; written by the children, who share our memory.
    failed: Option<(&'static str, c_int)>,
}

/// Starts `program`, which must be an absolute path, with one end of a socket pair at descriptor 3.
///
/// The caller's thread stands still until the program runs, as with `posix_spawn`. The program is not a child of the
/// application: an intermediate child, made without an exit signal, starts it and ends. So there is no SIGCHLD, and a
/// host that waits for all of its children sees none of ours.
///
/// # Errors
/// Why it did not start, in one sentence.
pub(crate) fn start(program: &Path, arguments: &[String]) -> Result<Started, String> {
    let shown = program.display();
    let no_text = |_| format!("the compiler's path or an argument has a zero byte: {shown}");
    let path = CString::new(program.as_os_str().as_bytes()).map_err(no_text)?;
    let mut words = vec![path.clone()];
    for argument in arguments {
        words.push(CString::new(argument.as_bytes()).map_err(no_text)?);
    }
    let words: Vec<_> = words.iter().map(|word| word.as_ptr()).chain([ptr::null()]).collect();
    let environment: Vec<_> = ENVIRONMENT.iter().map(|line| line.as_ptr()).chain([ptr::null()]).collect();
    let (ours, theirs) = socket_pair().map_err(|error| format!("no socket to the compiler: {error}"))?;
    // Two stacks in one block; u128 for the alignment that the machine's calling convention asks for.
    let mut stacks = vec![0_u128; 2 * STACK / size_of::<u128>()];
    let base = stacks.as_mut_ptr();
    let middle = stacks.len() / 2;
    let mut plan = Plan {
        program: path.as_ptr(),
        arguments: words.as_ptr(),
        environment: environment.as_ptr(),
        socket: theirs.as_raw_fd(),
        stack: base.wrapping_add(middle).cast(),
        started: 0,
        failed: None,
    };
    // SAFETY: `base` and the length are the vector's, so this is its end; the plan and all that it points to live until
    // the call returns, which is when both children have left our memory.
    unsafe { run_children(&mut plan, base.wrapping_add(stacks.len()).cast()) };
    match plan.failed {
        None => {
            // If the program has ended and its process id is another's by now, the connection is closed, and nobody
            // uses this descriptor.
            let process = Pid::from_raw(plan.started).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
            Ok(Started { socket: ours, process, number: plan.started })
        }
        Some((call, code)) => {
            let error = io::Error::from_raw_os_error(code);
            Err(match code {
                libc::ENOENT | libc::ENOTDIR => format!("there is no compiler at {shown} ({call}: {error})"),
                libc::EPERM | libc::EACCES | libc::ENOSYS => format!(
                    "this process may not start the compiler {shown} ({call}: {error}); only programs that are in the \
                     cache can be built"
                ),
                _ => format!("the compiler {shown} cannot be started ({call}: {error})"),
            })
        }
    }
}

/// Runs the intermediate child to its end, with all signals blocked: handlers of the application must not run in a
/// child that shares its memory.
///
/// # Safety
/// `plan` is complete, and `stack` is the highest address of a stack of [`STACK`] bytes that nobody uses.
unsafe fn run_children(plan: &mut Plan, stack: *mut c_void) {
    let plan: *mut Plan = plan;
    // SAFETY: the sets are made by the calls meant for it. `clone` gets a function that keeps to what a child that
    // shares memory may do, and a stack of its own; CLONE_VFORK keeps this thread from running meanwhile.
    unsafe {
        let (mut all, mut before) = (std::mem::zeroed(), std::mem::zeroed());
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
        let child = libc::clone(intermediate, stack, libc::CLONE_VM | libc::CLONE_VFORK, plan.cast());
        if child < 0 {
            (*plan).failed = Some(("clone", last_error()));
        } else {
            // Only a wait that asks for such children sees it, so the application's own waits do not interfere.
            while libc::waitpid(child, ptr::null_mut(), libc::__WCLONE) < 0 && last_error() == libc::EINTR {}
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, &before, ptr::null_mut());
    }
}

fn last_error() -> c_int {
    // SAFETY: the address of this thread's error number is always valid.
    unsafe { *libc::__errno_location() }
}

/// The intermediate child: starts the grandchild and ends, so that the grandchild is no child of the application.
extern "C" fn intermediate(plan: *mut c_void) -> c_int {
    let plan: *mut Plan = plan.cast();
    // SAFETY: `plan` is the one of `run_children`, whose thread stands still; the stack is the grandchild's.
    unsafe {
        (*plan).started = libc::clone(grandchild, (*plan).stack, libc::CLONE_VM | libc::CLONE_VFORK, plan.cast());
        if (*plan).started < 0 {
            (*plan).failed = Some(("clone", last_error()));
        }
    }
    0
}

/// The grandchild: leaves the application's session, folder and descriptors behind and becomes the compiler.
extern "C" fn grandchild(plan: *mut c_void) -> c_int {
    let plan: *mut Plan = plan.cast();
    // SAFETY: system calls only; `plan` is complete and everyone else stands still. Descriptors and the current folder
    // are this process's own, as neither CLONE_FILES nor CLONE_FS is set.
    unsafe {
        libc::setsid();
        libc::chdir(c"/".as_ptr());
        if !place_descriptors(plan) {
            return 1;
        }
        libc::execve((*plan).program, (*plan).arguments, (*plan).environment);
        (*plan).failed = Some(("execve", last_error()));
    }
    1
}

/// Gives the compiler its socket at [`COMPILER_SOCKET`], /dev/null below that, and nothing else. This uses no
/// descriptor above that one, as the limit may allow no more.
///
/// # Safety
/// As in [`grandchild`], which calls it.
unsafe fn place_descriptors(plan: *mut Plan) -> bool {
    raise_descriptor_limit();
    // SAFETY: as in `grandchild`.
    unsafe {
        // The socket closes on exec, as it was made for the application. `dup2` makes a copy that does not, but does
        // nothing if both numbers are the same.
        let placed = match (*plan).socket {
            COMPILER_SOCKET => libc::fcntl(COMPILER_SOCKET, libc::F_SETFD, 0),
            other => libc::dup2(other, COMPILER_SOCKET),
        };
        if placed < 0 {
            (*plan).failed = Some(("dup2", last_error()));
            return false;
        }
        let first = COMPILER_SOCKET + 1;
        if libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, 0) != 0 {
            for descriptor in first..1024 {
                libc::close(descriptor);
            }
        }
        for standard in 0..COMPILER_SOCKET {
            libc::close(standard);
        }
        // Each call takes the lowest free number: 0, then 1, then 2.
        for _ in 0..COMPILER_SOCKET {
            libc::open(c"/dev/null".as_ptr(), libc::O_RDWR);
        }
    }
    true
}

/// Raises the limit of descriptors, which the compiler needs for itself and for each worker, as far as the
/// application's hard limit allows.
fn raise_descriptor_limit() {
    let limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.map_or(DESCRIPTORS, |most| most.min(DESCRIPTORS));
    if limit.current.is_some_and(|current| current < wanted) {
        // Failure leaves the limit as it is.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), ..limit });
    }
}
