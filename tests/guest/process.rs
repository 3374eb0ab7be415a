//! What applications do with processes: reaping, forking, leaving.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use oxicl_tests::client::{Buffer, Context, Program};
use oxicl_tests::kernels;

use crate::Outcome;
use crate::builders::build_run_check;

static SIGNALS: AtomicUsize = AtomicUsize::new(0);

extern "C" fn count_signal(_: libc::c_int) {
    SIGNALS.fetch_add(1, Ordering::Relaxed);
}

/// A host that waits for any child, as a shell or an init does, and counts SIGCHLD: it must see none of ours.
pub fn reaps_all_children() -> Outcome {
    let handler = count_signal as extern "C" fn(libc::c_int);
    // SAFETY: the handler only adds to an atomic.
    unsafe { libc::signal(libc::SIGCHLD, handler as libc::sighandler_t) };
    let stop = AtomicBool::new(false);
    let built = std::thread::scope(|scope| {
        let reaper = scope.spawn(|| {
            let mut reaped = 0;
            while !stop.load(Ordering::Relaxed) {
                let mut status = 0;
                // SAFETY: the status is valid memory.
                if unsafe { libc::waitpid(-1, &mut status, libc::WNOHANG) } > 0 {
                    reaped += 1;
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            reaped
        });
        let built = (|| {
            let context = Context::first().map_err(|error| error.to_string())?;
            let queue = context.queue().map_err(|error| error.to_string())?;
            for number in 0..8 {
                build_run_check(&context, &queue, number)?;
            }
            Ok(())
        })();
        stop.store(true, Ordering::Relaxed);
        match reaper.join() {
            Ok(0) => built,
            Ok(count) => Err(format!("{count} children of the library's were reaped")),
            Err(_) => Err("the reaper panicked".to_owned()),
        }
    });
    match SIGNALS.load(Ordering::Relaxed) {
        0 => built,
        count => Err(format!("{count} SIGCHLD came from the library's children")),
    }
}

/// Forks again and again while eight threads build and run. Parent and child have to go on working.
pub fn forks_with_busy_threads() -> Outcome {
    const THREADS: u32 = 8;
    let context = Context::first().map_err(|error| error.to_string())?;
    let queue = context.queue().map_err(|error| error.to_string())?;
    build_run_check(&context, &queue, THREADS)?;
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|number| {
                let (context, stop) = (&context, &stop);
                scope.spawn(move || {
                    let queue = context.queue().map_err(|error| error.to_string())?;
                    while !stop.load(Ordering::Relaxed) {
                        build_run_check(context, &queue, number)?;
                    }
                    Ok(())
                })
            })
            .collect();
        let mut outcome = Ok(());
        for round in 0..10 {
            std::thread::sleep(Duration::from_millis(20));
            outcome = outcome.and(fork_once(round, || {
                build_run_check(&context, &queue, THREADS)?;
                // An object made after the fork works like one made before.
                let fresh = Context::first().map_err(|error| error.to_string())?;
                let queue = fresh.queue().map_err(|error| error.to_string())?;
                build_run_check(&fresh, &queue, 0)
            }));
        }
        stop.store(true, Ordering::Relaxed);
        let others = threads.into_iter().map(|thread| thread.join().unwrap_or(Err("a thread panicked".to_owned())));
        others.fold(outcome, Result::and)
    })
}

/// Runs `child` in a forked process and waits for it, at most 20 seconds.
pub(crate) fn fork_once(round: usize, child: impl FnOnce() -> Outcome) -> Outcome {
    // SAFETY: the child uses only this thread; that the library and the allocator survive is what is tested.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        let code = match child() {
            Ok(()) => 0,
            Err(message) => {
                eprintln!("child of round {round}: {message}");
                1
            }
        };
        // SAFETY: nothing of the parent's is run at the end.
        unsafe { libc::_exit(code) };
    }
    if pid < 0 {
        return Err("fork failed".to_owned());
    }
    for _ in 0..2000 {
        let mut status = 0;
        // SAFETY: the status is valid memory.
        let waited = unsafe { libc::waitpid(pid, &mut status, libc::WNOHANG) };
        if waited == pid {
            return if status == 0 { Ok(()) } else { Err(format!("round {round}: the child ended with {status:#x}")) };
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    // SAFETY: the child is ours and still there.
    unsafe { libc::kill(pid, libc::SIGKILL) };
    Err(format!("round {round}: the child hangs"))
}

/// Leaves by `exit` while a kernel runs for minutes.
pub fn exits_during_a_kernel() -> Outcome {
    let text = |error: oxicl_tests::client::Error| error.to_string();
    let context = Context::first().map_err(text)?;
    let queue = context.queue().map_err(text)?;
    let program = Program::build(&context, kernels::SPIN.plain, "").map_err(|error| error.to_string())?;
    let kernel = program.kernel("spin").map_err(text)?;
    let out = Buffer::<u32>::new(&context, 64).map_err(text)?;
    kernel.set_buffer(0, &out).map_err(text)?;
    kernel.set(1, u64::MAX / 2).map_err(text)?;
    queue.launch(&kernel, [out.len()], Some([1])).map_err(text)?;
    queue.flush().map_err(text)?;
    std::thread::sleep(Duration::from_millis(200));
    // Handlers that were registered with atexit run; releasing the objects would wait for the kernel.
    std::process::exit(0);
}

/// The most that any compiler process now running has had resident, in bytes; 0 if none runs.
pub(crate) fn compiler_memory() -> u64 {
    let Ok(folder) = std::fs::read_dir("/proc") else { return 0 };
    let peak = |entry: std::fs::DirEntry| -> Option<u64> {
        // Other files of /proc, and processes that have ended meanwhile, have no status.
        let status = std::fs::read_to_string(entry.path().join("status")).ok()?;
        let mut lines = status.lines();
        lines.next().filter(|name| name.contains("oxicl-compiler"))?;
        let line = lines.find_map(|line| line.strip_prefix("VmHWM:"))?;
        line.trim().trim_end_matches(" kB").parse::<u64>().ok()
    };
    folder.filter_map(|entry| peak(entry.ok()?)).max().unwrap_or(0) << 10
}
