//! Long suites, run by `cargo xtask test --long`: nothing may grow, nothing may fail.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use oxicl_benches::Failure;
use oxicl_tests::client::{Buffer, Context, Program, Queue};
use oxicl_tests::{kernels, resident};

/// What may be resident more at the end of a suite than after its warm-up, in bytes: less than one object a cycle.
const SLACK: u64 = 4 << 20;

/// Builds, runs, checks and releases everything once.
fn cycle(context: &Context, queue: &Queue, number: u32) -> Result<(), Failure> {
    let program = Program::build(context, kernels::PLAIN.plain, "")?;
    let kernel = program.kernel("plain")?;
    let out = Buffer::<u32>::new(context, 256)?;
    kernel.set_buffer(0, &out)?;
    kernel.set(1, number)?;
    queue.launch_with_event(&kernel, [out.len()], None)?.wait()?;
    let found = queue.read(&out)?;
    match found.iter().zip(number..).find(|(value, expected)| *value != expected) {
        None => Ok(()),
        Some((value, expected)) => Err(Failure::Wrong(format!("an element is {value}, not {expected}"))),
    }
}

#[test]
#[ignore = "long: 10,000 builds"]
fn ten_thousand_build_run_release_cycles_leave_memory_flat() {
    const CYCLES: u32 = 10_000;
    let session = oxicl_tests::session();
    let mut before = 0;
    for number in 0..CYCLES {
        if number == CYCLES / 10 {
            before = resident().expect("/proc/self/statm");
        }
        assert_eq!(cycle(&session.context, &session.queue, number), Ok(()), "cycle {number}");
    }
    let after = resident().expect("/proc/self/statm");
    println!("resident: {before} bytes after {} cycles, {after} after {CYCLES}", CYCLES / 10);
    assert!(after < before + SLACK, "resident memory grew from {before} to {after} bytes");
}

#[test]
#[ignore = "long: a minute"]
fn eight_threads_share_a_context_for_a_minute() {
    const THREADS: u32 = 8;
    let session = oxicl_tests::session();
    let (stop, cycles) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                let (session, stop, cycles) = (&session, &stop, &cycles);
                scope.spawn(move || {
                    let own = session.context.queue()?;
                    let mut number = thread;
                    while !stop.load(Ordering::Relaxed) {
                        // The shared queue and a queue of the thread's own, in turns.
                        cycle(&session.context, if number % 2 == 0 { &session.queue } else { &own }, number)?;
                        number += 1;
                        cycles.fetch_add(1, Ordering::Relaxed);
                    }
                    Ok::<(), Failure>(())
                })
            })
            .collect();
        let start = Instant::now();
        let mut before = 0;
        // A thread that fails ends early, which is no reason to go on for the rest of the minute.
        while start.elapsed() < Duration::from_secs(60) && !threads.iter().any(|thread| thread.is_finished()) {
            std::thread::sleep(Duration::from_millis(100));
            if before == 0 && start.elapsed() > Duration::from_secs(10) {
                before = resident().expect("/proc/self/statm");
            }
        }
        stop.store(true, Ordering::Relaxed);
        for thread in threads {
            assert!(matches!(thread.join(), Ok(Ok(()))), "a thread failed");
        }
        let after = resident().expect("/proc/self/statm");
        println!("{} cycles; resident: {before} bytes after 10 s, {after} at the end", cycles.load(Ordering::Relaxed));
        assert!(before == 0 || after < before + SLACK, "resident memory grew from {before} to {after} bytes");
    });
}
