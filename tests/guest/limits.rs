//! Hosts with tight limits, and compilers that take long or do not answer.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use oxicl_tests::client::{BuildError, Context, Program};
use oxicl_tests::kernels;

use crate::Outcome;
use crate::builders::build_and_run;

/// Lowers both limits of this process on a resource.
fn limit(resource: libc::__rlimit_resource_t, most: libc::rlim_t) -> Outcome {
    let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
    // SAFETY: the structure is valid.
    match unsafe { libc::setrlimit(resource, &limit) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error().to_string()),
    }
}

/// Prints the log of a build that has to fail.
fn print_log(built: Result<Program, BuildError>) -> Outcome {
    match built {
        Ok(_) => Err("the build succeeded".to_owned()),
        Err(BuildError { log, .. }) => {
            println!("{log}");
            Ok(())
        }
    }
}

fn build(kernel: &[u8]) -> Result<Program, BuildError> {
    Program::build(&Context::first()?, kernel, "")
}

/// Descriptors that are enough for the library and the compiler.
const DESCRIPTORS: libc::rlim_t = 8;

/// A build and a run with just enough descriptors.
pub fn few_descriptors() -> Outcome {
    limit(libc::RLIMIT_NOFILE, DESCRIPTORS)?;
    build_and_run()
}

/// A build with one descriptor fewer.
pub fn too_few_descriptors() -> Outcome {
    limit(libc::RLIMIT_NOFILE, DESCRIPTORS - 1)?;
    print_log(build(kernels::VICTIM.plain))
}

/// A build and a run where stacks may grow to 128 KiB.
pub fn small_stack_limit() -> Outcome {
    with_stack_limit(128, build_and_run)
}

/// A build where a new process has not enough stack for its libraries.
pub fn tiny_stack_limit() -> Outcome {
    with_stack_limit(32, || print_log(build(kernels::VICTIM.plain)))
}

/// On a thread, whose stack is as large as it was made.
fn with_stack_limit(kibibytes: libc::rlim_t, scenario: fn() -> Outcome) -> Outcome {
    let limited = move || limit(libc::RLIMIT_STACK, kibibytes << 10).and_then(|()| scenario());
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(limited);
    thread.map_err(|error| error.to_string())?.join().unwrap_or(Err("the thread panicked".to_owned()))
}

/// Builds a source on which the front end works for seconds, and no other stage does; says so, or prints the log.
pub fn large_source() -> Outcome {
    const TABLES: u32 = 10;
    let table = |number: u32| {
        let values: Vec<String> = (0..60_000).map(|at| (at * 7919 % 100_003 + number).to_string()).collect();
        format!("constant int t{number}[] = {{{}}};\n", values.join(","))
    };
    let tables: String = (0..TABLES).map(table).collect();
    let sum: Vec<String> = (0..TABLES).map(|number| format!("t{number}[i]")).collect();
    let kernel = format!("kernel void k(global int *a) {{ size_t i = get_global_id(0); a[i] = {}; }}", sum.join(" + "));
    let context = Context::first().map_err(|error| error.to_string())?;
    match Program::build_source(&context, &(tables + &kernel), "") {
        Ok(_) => println!("built"),
        Err(BuildError { log, .. }) => println!("{log}"),
    }
    Ok(())
}

/// A compiler that is another program.
pub fn compiler_that_does_not_answer() -> Outcome {
    print_log(build(kernels::VICTIM.plain))
}

/// Two builds, of a module and of a source, with a compiler that the library does not belong to; prints their logs.
pub fn compiler_of_another_build() -> Outcome {
    print_log(build(kernels::VICTIM.plain))?;
    let context = Context::first().map_err(|error| error.to_string())?;
    print_log(Program::build_source(&context, "kernel void k() {}", ""))
}

/// Stops the compiler in the middle of two builds, one of which reads for the other: both go on in another process.
pub fn compiler_that_is_stopped() -> Outcome {
    let compiler = std::env::var_os("OXICL_COMPILER").map(PathBuf::from).ok_or("OXICL_COMPILER is not set")?;
    let start = Instant::now();
    let stopped = std::thread::scope(|scope| {
        let builds: Vec<_> = (0..2).map(|_| scope.spawn(|| build(kernels::VICTIM.plain).map(|_| ()))).collect();
        let stopped = compiler_at_work(&compiler).and_then(|(supervisor, _)| stop(supervisor).map(|()| supervisor));
        for build in builds {
            let built = build.join().map_err(|_| "a thread panicked".to_owned())?;
            built.map_err(|error| format!("a build failed: {error}"))?;
        }
        stopped
    })?;
    println!("built after {} s", start.elapsed().as_secs());
    if is_alive(stopped) { Err("the stopped compiler is still there".to_owned()) } else { build_and_run() }
}

/// Stops the worker in the middle of a build.
pub fn worker_that_is_stopped() -> Outcome {
    let compiler = std::env::var_os("OXICL_COMPILER").map(PathBuf::from).ok_or("OXICL_COMPILER is not set")?;
    std::thread::scope(|scope| {
        let build = scope.spawn(|| print_log(build(kernels::VICTIM.plain)));
        let (_, workers) = compiler_at_work(&compiler)?;
        workers.into_iter().try_for_each(stop)?;
        build.join().unwrap_or(Err("a thread panicked".to_owned()))
    })
}

/// Waits until the compiler that runs from a path has workers, which have work then; the supervisor, and these.
fn compiler_at_work(compiler: &Path) -> Result<(libc::pid_t, Vec<libc::pid_t>), String> {
    for _ in 0..1000 {
        if processes_of(compiler).len() > 1 {
            std::thread::sleep(Duration::from_millis(500));
            let (supervisors, workers): (Vec<_>, Vec<_>) =
                processes_of(compiler).into_iter().partition(|(pid, session)| pid == session);
            if let [(supervisor, _)] = supervisors[..] {
                return Ok((supervisor, workers.into_iter().map(|(pid, _)| pid).collect()));
            }
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Err("there is no compiler with workers".to_owned())
}

fn stop(pid: libc::pid_t) -> Outcome {
    // SAFETY: only sends a signal, to a compiler process that has the path of this test alone.
    match unsafe { libc::kill(pid, libc::SIGSTOP) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error().to_string()),
    }
}

/// The processes that were started by a path, each with its session, whose leader the supervisor is.
pub(crate) fn processes_of(compiler: &Path) -> Vec<(libc::pid_t, libc::pid_t)> {
    let Ok(folder) = std::fs::read_dir("/proc") else { return Vec::new() };
    let found = |entry: std::fs::DirEntry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        let arguments = std::fs::read(entry.path().join("cmdline")).ok()?;
        let started = arguments.split(|byte| *byte == 0).next()?;
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        // Behind the name, which may have spaces: state, parent, group, session.
        let session = stat.rsplit_once(')')?.1.split_whitespace().nth(3)?.parse().ok()?;
        (started == compiler.as_os_str().as_encoded_bytes()).then_some((pid, session))
    };
    folder.filter_map(|entry| found(entry.ok()?)).collect()
}

/// Whether a process is there, and has not ended without being waited for.
fn is_alive(pid: libc::pid_t) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, state)| !state.starts_with('Z'))
}
