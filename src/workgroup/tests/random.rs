//! Random kernels with barriers, compiled in every mode, do what the model does.
#![allow(unsafe_code, reason = "runs the code that was compiled")]

#[path = "run/generate.rs"]
mod generate;
#[path = "run/machine.rs"]
mod machine;

use generate::{DECLARATIONS, Generator, Model, Random, Writer, collective_declarations};
use machine::{Mode, Range, argument, compile, run, signature};
use oxicl_abi::ArgumentKind;

/// Kernels of one module.
const BATCH: usize = 24;

fn ranges(random: &mut Random) -> Vec<Range> {
    let mut ranges = vec![
        Range { dimensions: 1, offset: [0; 3], global: [1, 1, 1], local: [1, 1, 1] },
        Range { dimensions: 1, offset: [5, 0, 0], global: [37, 1, 1], local: [8, 1, 1] },
        Range { dimensions: 3, offset: [1, 2, 3], global: [7, 5, 3], local: [3, 2, 2] },
    ];
    let local = [1 + random.below(16), 1 + random.below(4), 1 + random.below(3)];
    let global = [0, 1, 2].map(|d| 1 + random.below(local[d] * 3));
    ranges.push(Range { dimensions: 3, offset: [random.below(9), 0, 1], global, local });
    ranges
}

fn arguments() -> Vec<oxicl_abi::Argument> {
    vec![
        argument(ArgumentKind::Global, 8, 0),
        argument(ArgumentKind::Value, 4, 8),
        argument(ArgumentKind::Value, 4, 12),
    ]
}

/// The argument block.
fn block(out: &mut [u32], values: [u32; 2]) -> Vec<u8> {
    let mut block = (out.as_mut_ptr() as u64).to_le_bytes().to_vec();
    values.iter().for_each(|v| block.extend(v.to_le_bytes()));
    block
}

fn check_batch(batch: u64, mode: Mode, lanes: u32) {
    let kernels: Vec<_> = (0..BATCH as u64).map(|k| Generator::kernel(1 + batch * BATCH as u64 + k)).collect();
    let mut text = format!("{DECLARATIONS}{}", collective_declarations());
    for (k, (body, counters)) in kernels.iter().enumerate() {
        text += &Writer::kernel(k, body, *counters);
    }
    let names: Vec<String> = (0..BATCH).map(|k| format!("k{k}")).collect();
    let signatures: Vec<_> = names.iter().map(|n| (n.as_str(), signature(arguments()))).collect();
    let library = compile(&text, &signatures, mode, lanes);
    let mut random = Random(batch + 77);
    for (k, (body, counters)) in kernels.iter().enumerate() {
        for range in ranges(&mut random) {
            let values = [random.below(9) as u32, random.below(9) as u32];
            let expected = Model::results(body, *counters, range, values);
            let mut out = vec![0xdead_beefu32; expected.len()];
            run(&library, k, range, &block(&mut out, values), 0, 1 + random.below(5));
            let seed = 1 + batch * BATCH as u64 + k as u64;
            assert_eq!(
                out, expected,
                "kernel of seed {seed}, {mode:?}, {lanes} lanes, {range:?}, {values:?}\n{body:#?}"
            );
        }
    }
}

/// `OXICL_TEST_BATCHES` sets how many batches; the default keeps the test short.
fn batches() -> u64 {
    std::env::var("OXICL_TEST_BATCHES").ok().and_then(|b| b.parse().ok()).unwrap_or(4)
}

#[test]
fn unoptimised_kernels_do_what_the_model_does() {
    (0..batches()).for_each(|b| check_batch(b, Mode::Bare, 1));
}

#[test]
fn cheaply_optimised_kernels_do_what_the_model_does() {
    (0..batches()).for_each(|b| check_batch(b + 1000, Mode::Cheap, 1));
}

#[test]
fn fully_optimised_kernels_do_what_the_model_does() {
    (0..batches()).for_each(|b| check_batch(b + 2000, Mode::Full, 1));
}

#[test]
fn gangs_do_what_the_model_does() {
    for batch in 0..batches() {
        let lanes = [4, 8, 16, 2][batch as usize % 4];
        check_batch(batch + 3000, Mode::Cheap, lanes);
        check_batch(batch + 4000, Mode::Full, lanes);
    }
}

/// Does a kernel differ from the model, or is it not compiled at all?
fn differs(body: &[generate::Stmt], counters: usize, lanes: u32, mode: Mode) -> bool {
    let text = format!("{DECLARATIONS}{}{}", collective_declarations(), Writer::kernel(0, body, counters));
    let kernels = [("k0", signature(arguments()))];
    let compiled = std::panic::catch_unwind(|| compile(&text, &kernels, mode, lanes));
    let Ok(library) = compiled else { return true };
    let mut random = Random(77);
    (0..8).any(|_| {
        ranges(&mut random).into_iter().any(|range| {
            let values = [random.below(9) as u32, random.below(9) as u32];
            let expected = Model::results(body, counters, range, values);
            let mut out = vec![0xdead_beefu32; expected.len()];
            run(&library, 0, range, &block(&mut out, values), 0, 1 + random.below(5));
            out != expected
        })
    })
}

/// Looks for kernels among those of the seeds from `OXICL_TEST_SEED` to `OXICL_TEST_LAST` that differ from the model with
/// `OXICL_TEST_LANES` lanes, and prints the first one as small as it gets.
#[test]
#[ignore = "prints what fails as small as it gets"]
fn reduce() {
    let number = |name: &str, default: u64| std::env::var(name).map_or(default, |v| v.parse().expect("a number"));
    let lanes = number("OXICL_TEST_LANES", 4) as u32;
    let mode = if std::env::var("OXICL_TEST_FULL").is_ok() { Mode::Full } else { Mode::Bare };
    let first = number("OXICL_TEST_SEED", 1);
    for seed in first..=number("OXICL_TEST_LAST", first) {
        let (mut body, counters) = Generator::kernel(seed);
        if !differs(&body, counters, lanes, mode) {
            continue;
        }
        while let Some(less) = generate::smaller(&body).into_iter().find(|less| differs(less, counters, lanes, mode)) {
            body = less;
        }
        println!("seed {seed}: {body:?}\n{}", Writer::kernel(0, &body, counters));
        return;
    }
    println!("none differs");
}
