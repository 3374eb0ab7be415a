//! Modules with random damage: whatever a build says of them, it has to say it.

use std::time::{Duration, Instant};

use oxicl_benches::{Random, kernels};
use oxicl_tests::client::{Context, Program};

use crate::Outcome;

const MUTANTS: u64 = 10_000;

/// The longest that one build may take: the compiler's own deadline, twice.
const LIMIT: Duration = Duration::from_secs(40);

/// Creates and builds damaged modules of every kind of kernel, and makes the kernels of those that still build. None is
/// run: a damaged kernel may write anywhere.
pub fn build_mutants() -> Outcome {
    let context = Context::first().map_err(|error| error.to_string())?;
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
    let (mut built, mut refused) = (0, 0);
    for seed in 0..MUTANTS {
        let mut random = Random::new(seed);
        let module = modules[random.next_u32() as usize % modules.len()];
        let il = damage(if random.next_u32().is_multiple_of(2) { module.plain } else { module.optimised }, &mut random);
        let start = Instant::now();
        match Program::build(&context, &il, "") {
            Ok(_) => built += 1,
            Err(failure) if failure.log.is_empty() && failure.error.call == "clBuildProgram" => {
                return Err(format!("mutant {seed}: {} without a log", failure.error));
            }
            Err(failure) => {
                refused += 1;
                // A stage that believed a module and then failed is no crash, but is worth a look.
                if failure.log.contains("compiler process") {
                    println!("mutant {seed}: {}", failure.log.lines().next().unwrap_or_default());
                }
            }
        }
        if start.elapsed() > LIMIT {
            return Err(format!("mutant {seed} took {} s", start.elapsed().as_secs()));
        }
    }
    println!("{built} mutants built, {refused} were refused");
    Ok(())
}

/// One to three words changed: a bit, a small number, or a word of elsewhere.
fn damage(il: &[u8], random: &mut Random) -> Vec<u8> {
    let mut words: Vec<u32> =
        il.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
    for _ in 0..1 + random.next_u32() % 3 {
        let place = random.next_u32() as usize % words.len();
        words[place] = match random.next_u32() % 3 {
            0 => words[place] ^ 1 << (random.next_u32() % 32),
            1 => random.next_u32() % 600,
            _ => words[random.next_u32() as usize % words.len()],
        };
    }
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}
