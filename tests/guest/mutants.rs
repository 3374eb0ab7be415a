//! Modules with damage of every kind: whatever a build says of them, it has to say it.
//!
//! `oxicl-guest build-mutants [FOLDER [COUNT]]` takes the `.spv` files of a folder instead of the kernels of `benches`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use oxicl_benches::kernels;
use oxicl_mutator::{mutate_bytes, of_seed, spv_files};
use oxicl_tests::client::{Context, Program};
use oxicl_tests::resident;

use crate::Outcome;
use crate::process::compiler_memory;

const MUTANTS: u64 = 10_000;

/// The longest that one build may take.
const LIMIT: Duration = Duration::from_secs(10);

/// What a compiler process may have resident at most, in bytes.
const COMPILER_LIMIT: u64 = 2 << 30;

/// What may be resident more at the end than after a tenth of the mutants, in bytes.
const SLACK: u64 = 16 << 20;

/// What became of mutants.
#[derive(Default)]
struct Tally {
    /// Built.
    built: u64,
    /// Refused at creation: not SPIR-V at all.
    not_created: u64,
    /// Refused by a build, by stage.
    refused: BTreeMap<String, u64>,
    /// What must not be.
    faults: Vec<String>,
    slowest: (Duration, u64),
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.built += other.built;
        self.not_created += other.not_created;
        for (stage, count) in other.refused {
            *self.refused.entry(stage).or_default() += count;
        }
        self.faults.extend(other.faults);
        self.slowest = self.slowest.max(other.slowest);
    }
}

/// Creates and builds damaged modules of every kind of kernel, and makes the kernels of those that still build. None is
/// run: a damaged kernel may write anywhere.
pub fn build_mutants() -> Outcome {
    let mut arguments = std::env::args().skip(2);
    let modules = match arguments.next() {
        Some(folder) => modules_of(Path::new(&folder))?,
        None => own_modules(),
    };
    let count = match arguments.next() {
        Some(count) => count.parse().map_err(|error| format!("{count}: {error}"))?,
        None => MUTANTS,
    };
    let context = Context::first().map_err(|error| error.to_string())?;
    let (next, before, compilers) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    let over = AtomicBool::new(false);
    let mut tally = Tally::default();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                compilers.fetch_max(compiler_memory(), Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(50));
            }
        });
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let mut tally = Tally::default();
                    loop {
                        let seed = next.fetch_add(1, Ordering::Relaxed);
                        if seed == count / 10 {
                            before.store(resident().unwrap_or(0), Ordering::Relaxed);
                        }
                        if seed >= count || tally.faults.len() > 20 {
                            return tally;
                        }
                        build(&context, &modules, seed, &mut tally);
                    }
                })
            })
            .collect();
        for worker in workers {
            match worker.join() {
                Ok(part) => tally.add(part),
                Err(_) => tally.faults.push("a thread panicked".to_owned()),
            }
        }
        over.store(true, Ordering::Relaxed);
    });
    report(&tally, before.into_inner(), compilers.into_inner())
}

/// Builds one mutant.
fn build(context: &Context, modules: &[Vec<u8>], seed: u64, tally: &mut Tally) {
    let (module, donor, mut random) = of_seed(seed, modules.len());
    let il = mutate_bytes(&modules[module], &modules[donor], &mut random);
    let start = Instant::now();
    match Program::build(context, &il, "") {
        Ok(_) => tally.built += 1,
        Err(failure) if failure.error.call == "clCreateProgramWithIL" => tally.not_created += 1,
        Err(failure) => {
            let stage = refused(&failure.log);
            *tally.refused.entry(stage.to_owned()).or_default() += 1;
            // No crash of ours, but worth a look.
            if matches!(stage, "by a compiler that died" | "by a limit of time") {
                println!("mutant {seed}: {}", failure.log);
            }
            if stage == "without a place" {
                tally.faults.push(format!("mutant {seed}: the log names no place: {}", failure.log));
            }
        }
    }
    let took = start.elapsed();
    tally.slowest = tally.slowest.max((took, seed));
    if took > LIMIT {
        tally.faults.push(format!("mutant {seed} took {} s", took.as_secs()));
    }
}

/// How a build was refused, by what its log says.
fn refused(log: &str) -> &'static str {
    if ["the compiler died of", "LLVM cannot translate"].iter().any(|story| log.contains(story)) {
        "by a compiler that died"
    } else if log.contains("the build was stopped after") {
        "by a limit of time"
    } else if log.contains("at word ") {
        "at a word"
    } else if log.contains("in kernel ") || log.contains("in function ") {
        "in a kernel"
    } else {
        "without a place"
    }
}

fn report(tally: &Tally, before: u64, compilers: u64) -> Outcome {
    let after = resident()?;
    println!("{} mutants built, {} were not created", tally.built, tally.not_created);
    for (stage, count) in &tally.refused {
        println!("{count} were refused {stage}");
    }
    println!("the slowest took {:.1} s (mutant {})", tally.slowest.0.as_secs_f64(), tally.slowest.1);
    println!("resident: {} KiB after a tenth, {} KiB at the end", before >> 10, after >> 10);
    println!("the largest compiler process had {} MiB", compilers >> 20);
    if !tally.faults.is_empty() {
        return Err(tally.faults.join("\n"));
    }
    if after > before + SLACK {
        return Err(format!("resident memory grew from {before} to {after} bytes"));
    }
    if compilers > COMPILER_LIMIT {
        return Err(format!("a compiler process had {compilers} bytes"));
    }
    Ok(())
}

/// The kernels of `benches`, as clang makes them at both levels.
fn own_modules() -> Vec<Vec<u8>> {
    let modules = [
        kernels::MATMUL,
        kernels::FFT,
        kernels::RAYMARCH,
        kernels::SHA256,
        kernels::HISTOGRAM,
        kernels::BITONIC,
        kernels::MONTE_CARLO,
        kernels::MANDELBROT,
    ];
    modules.into_iter().flat_map(|module| [module.plain.to_vec(), module.optimised.to_vec()]).collect()
}

/// The modules of a folder, in the order of their names.
fn modules_of(folder: &Path) -> Result<Vec<Vec<u8>>, String> {
    let read = |path: PathBuf| std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()));
    spv_files(folder)?.into_iter().map(read).collect()
}
