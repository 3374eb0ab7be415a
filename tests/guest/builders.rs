//! Eight threads that build while a ninth has bad luck.

use std::sync::Barrier;

use oxicl_tests::client::{Buffer, BuildError, Context, Program, Queue};
use oxicl_tests::{kernels, resident};

use crate::Outcome;

/// The kernel that the fault is for.
const VICTIM: &str = "victim";
const THREADS: u32 = 8;
const BUILDS: u32 = 6;

/// Builds `plain`, runs it with `number` and checks what it wrote.
pub fn build_run_check(context: &Context, queue: &Queue, number: u32) -> Outcome {
    let text = |error: oxicl_tests::client::Error| error.to_string();
    let program = Program::build(context, kernels::PLAIN.plain, "").map_err(|error| error.to_string())?;
    let kernel = program.kernel("plain").map_err(text)?;
    let out = Buffer::<u32>::new(context, 1000).map_err(text)?;
    kernel.set_buffer(0, &out).map_err(text)?;
    kernel.set(1, number).map_err(text)?;
    queue.launch(&kernel, [out.len()], None).map_err(text)?;
    let found = queue.read(&out).map_err(text)?;
    match found.iter().zip(number..).find(|(value, expected)| *value != expected) {
        None => Ok(()),
        Some((value, expected)) => Err(format!("an element is {value}, not {expected}")),
    }
}

/// One build and one run.
pub fn build_and_run() -> Outcome {
    let context = Context::first().map_err(|error| error.to_string())?;
    let queue = context.queue().map_err(|error| error.to_string())?;
    build_run_check(&context, &queue, 3)
}

/// The victim's worker dies at its first try; the second has to succeed.
pub fn victim_recovers() -> Outcome {
    beside(|built| built.map(|_| ()).map_err(|error| format!("the victim's build failed: {error}")))
}

/// The victim's worker dies at every try: the build fails, and the log names the kernel and the stage.
pub fn victim_fails() -> Outcome {
    beside(|built| match built {
        Ok(_) => Err("the victim's build succeeded".to_owned()),
        Err(BuildError { log, .. }) if log.contains(VICTIM) => {
            println!("{log}");
            Ok(())
        }
        Err(BuildError { error, log }) => Err(format!("{error}; the log does not name the kernel:\n{log}")),
    })
}

/// Builds the victim in the midst of eight threads that build, run and check.
fn beside(judge: impl Fn(Result<Program, BuildError>) -> Outcome) -> Outcome {
    let context = Context::first().map_err(|error| error.to_string())?;
    let start = Barrier::new(THREADS as usize + 1);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                let (context, start) = (&context, &start);
                scope.spawn(move || {
                    let queue = context.queue().map_err(|error| error.to_string())?;
                    start.wait();
                    for build in 0..BUILDS {
                        build_run_check(context, &queue, thread * BUILDS + build)
                            .map_err(|error| format!("a bystander noticed: {error}"))?;
                    }
                    Ok(())
                })
            })
            .collect();
        start.wait();
        let own = judge(Program::build(&context, kernels::VICTIM.plain, ""));
        let others = threads.into_iter().map(|thread| thread.join().unwrap_or(Err("a thread panicked".to_owned())));
        others.fold(own, Result::and)
    })
}

/// Builds again and again without a cache: this process may not grow.
pub fn many_builds() -> Outcome {
    const CYCLES: u32 = 400;
    const SLACK: u64 = 4 << 20;
    let context = Context::first().map_err(|error| error.to_string())?;
    let queue = context.queue().map_err(|error| error.to_string())?;
    let mut before = 0;
    for number in 0..CYCLES {
        if number == CYCLES / 4 {
            before = resident()?;
        }
        build_run_check(&context, &queue, number)?;
    }
    let after = resident()?;
    println!("resident: {before} bytes after {} builds, {after} after {CYCLES}", CYCLES / 4);
    if after < before + SLACK { Ok(()) } else { Err(format!("resident memory grew from {before} to {after} bytes")) }
}
