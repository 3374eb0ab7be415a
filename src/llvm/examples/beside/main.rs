//! Measures what LLVM says nothing of, for `src/workgroup/prices/overrides.rs`, in cycles of the machine that it runs on:
//! `cargo run --release -p oxicl-llvm --example beside`. It needs an x86-64.
#![allow(unsafe_code, reason = "asks for the processor's counter, and has instructions that no compiler changes")]

use std::arch::asm;
use std::arch::x86_64::{
    _mm512_add_epi32, _mm512_add_ps, _mm512_i32gather_epi32, _mm512_i32gather_ps, _mm512_i32scatter_epi32,
    _mm512_i32scatter_ps, _mm512_loadu_epi32, _mm512_set1_epi32, _mm512_set1_ps, _mm512_setzero_ps, _rdtsc,
};
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;

/// Runs of each, of which the shortest counts, as other programs run, too.
const RUNS: u32 = 300;
/// Operations in a run.
const MANY: usize = 1000;
/// Additions of the chain that tells how long a cycle is.
const CHAIN: usize = 10_000;
/// Places of a table in a run.
const PLACES: usize = 1 << 14;
/// Branches in a run: more than are learnt by heart.
const BRANCHES: usize = 1 << 16;

fn main() {
    let cycle = ticks(RUNS, chain) / CHAIN as f64;
    let say = |what: &str, cycles: f64| println!("{what}: {cycles:.1} cycles");
    let words: Vec<AtomicU32> = (0..1024).map(AtomicU32::new).collect();
    let add = || (0..MANY).for_each(|i| _ = words[i * 37 % words.len()].fetch_add(1, Ordering::Relaxed));
    say("an atomic addition", ticks(RUNS, add) / cycle / MANY as f64);
    let (shared, is_done) = (AtomicU32::new(0), AtomicBool::new(false));
    let many = RUNS as usize * MANY;
    let contended = thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                shared.fetch_add(1, Ordering::Relaxed);
            }
        });
        let time = ticks(1, || (0..many).for_each(|_| _ = shared.fetch_add(1, Ordering::Relaxed)));
        is_done.store(true, Ordering::Relaxed);
        time
    });
    say("an atomic addition by two threads at once", contended / cycle / many as f64);
    say("a division of 64 bits that waits for the one before", ticks(RUNS, divisions64) / cycle / MANY as f64);
    say("a division of 32 bits that waits for the one before", ticks(RUNS, divisions32) / cycle / MANY as f64);
    let call = || (0..MANY).for_each(|i| _ = black_box(called(i as f32, 2.0, 3.0)));
    say("a call", ticks(RUNS, call) / cycle / MANY as f64);
    let mut seed = 1u64;
    let mut bits: Vec<u8> = (0..BRANCHES).map(|_| (random(&mut seed) >> 63) as u8).collect();
    say("a branch by a random bit", ticks(RUNS, || branches(&bits)) / cycle / BRANCHES as f64);
    bits.fill(1);
    say("a branch by a bit that is on", ticks(RUNS, || branches(&bits)) / cycle / BRANCHES as f64);
    gathers(cycle);
    chains(cycle);
    rows(cycle);
    counters(cycle);
    for size in [256, 512, 1024, 2048, 4096] {
        let matrix = vec![1.0; size * size];
        let runs = if size > 1024 { 4 } else { 20 };
        let of = |row, column| ticks(runs, || walk(&matrix, size, row, column)) / cycle / (size * size) as f64;
        let (along, down) = (of(size, 1), of(1, size));
        say(&format!("a number of {size} x {size}, down columns rather than along rows"), down - along);
    }
}

/// The next of a series of random numbers, of which the upper bits are the better ones.
fn random(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *seed
}

/// Numbers gathered by an instruction, rather than loaded one by one, from tables of 16 KiB to 16 MiB.
fn gathers(cycle: f64) {
    if !is_x86_feature_detected!("avx512f") {
        return;
    }
    let (mut products, mut seed, mut count) = ([0.0; 2], 1u64, 0.0);
    for length in (12..=22).step_by(2).map(|bits| 1usize << bits) {
        let table = vec![1.0f32; length];
        let mut places = vec![0i32; PLACES];
        let mut times = [f64::INFINITY; 2];
        for _ in 0..60 {
            for place in &mut places {
                *place = (random(&mut seed) >> 40) as i32 & (length as i32 - 1);
            }
            // SAFETY: the machine has the instructions, and all places are in the table.
            times[0] = times[0].min(ticks(1, || unsafe { gathered(&table, &places) }));
            times[1] = times[1].min(ticks(1, || loaded(&table, &places)));
        }
        let [gathered, loaded] = times.map(|time| time / cycle / PLACES as f64);
        println!("a number of {} KiB: gathered {gathered:.2} cycles, loaded {loaded:.2}", length / 256);
        products = [products[0] + gathered.ln(), products[1] + loaded.ln()];
        count += 1.0;
    }
    let [gathered, loaded] = products.map(|sum: f64| (sum / count).exp());
    println!("geometric means: gathered {gathered:.2} cycles, loaded {loaded:.2}");
}

/// Numbers of 16 rows at a time, each of which a lane goes along: gathered by an instruction, rather than loaded one by one.
/// A processor fetches ahead for loads that each advance by the same stride, but not for a gather.
fn rows(cycle: f64) {
    if !is_x86_feature_detected!("avx512f") {
        return;
    }
    for length in [384, 1000, 4000] {
        let mut table = vec![1.0f32; length * 16 * (1 << 22 >> 4) / length];
        let groups = table.len() / (16 * length);
        let to = |store: &dyn Fn(&mut [f32]), table: &mut [f32]| {
            ticks(8, || table.chunks_exact_mut(16 * length).for_each(store)) / cycle / (groups * length * 16) as f64
        };
        // SAFETY: the machine has the instructions.
        let scattered = to(&|rows| unsafe { rows_scattered(rows) }, &mut table);
        let stored = to(&rows_stored, &mut table);
        println!("a number of rows of {length}: scattered {scattered:.2} cycles, stored {stored:.2}");
        let of = |sum: &dyn Fn(&[f32])| {
            ticks(8, || table.chunks_exact(16 * length).for_each(sum)) / cycle / (groups * length * 16) as f64
        };
        // SAFETY: the machine has the instructions.
        let (gathered, loaded) = (of(&|rows| unsafe { rows_gathered(rows) }), of(&rows_loaded));
        println!("a number of rows of {length}: gathered {gathered:.2} cycles, loaded {loaded:.2}");
    }
}

/// # Safety
/// The machine has AVX-512.
#[target_feature(enable = "avx512f")]
unsafe fn rows_gathered(rows: &[f32]) {
    let length = rows.len() / 16;
    let places: [i32; 16] = std::array::from_fn(|lane| (lane * length) as i32);
    // SAFETY: all places are in the rows.
    unsafe {
        let places = _mm512_loadu_epi32(places.as_ptr());
        let mut sum = _mm512_setzero_ps();
        for at in 0..length {
            sum = _mm512_add_ps(sum, _mm512_i32gather_ps::<4>(places, rows.as_ptr().add(at)));
        }
        black_box(sum);
    }
}

fn rows_loaded(rows: &[f32]) {
    let length = rows.len() / 16;
    let mut sums = [0.0f32; 16];
    for at in 0..length {
        let loaded: [f32; 16] = std::array::from_fn(|lane| rows[lane * length + at]);
        sums.iter_mut().zip(loaded).for_each(|(sum, number)| *sum += number);
    }
    black_box(sums);
}

/// # Safety
/// The machine has AVX-512.
#[target_feature(enable = "avx512f")]
unsafe fn rows_scattered(rows: &mut [f32]) {
    let length = rows.len() / 16;
    let places: [i32; 16] = std::array::from_fn(|lane| (lane * length) as i32);
    // SAFETY: all places are in the rows.
    unsafe {
        let places = _mm512_loadu_epi32(places.as_ptr());
        for at in 0..length {
            let numbers = _mm512_set1_ps(black_box(at as f32));
            _mm512_i32scatter_ps::<4>(rows.as_mut_ptr().add(at), places, numbers);
        }
    }
}

fn rows_stored(rows: &mut [f32]) {
    let length = rows.len() / 16;
    for at in 0..length {
        let number = black_box(at as f32);
        for lane in 0..16 {
            rows[lane * length + at] = number;
        }
    }
}

/// Numbers of tables of 16 KiB to 16 MiB, each of which says where the next one is.
fn chains(cycle: f64) {
    let (mut product, mut seed, mut count) = (0.0, 1u64, 0.0);
    for length in (12..=22).step_by(2).map(|bits| 1usize << bits) {
        let mut table: Vec<u32> = (0..length as u32).collect();
        // One cycle through all places (Sattolo).
        for last in (1..length).rev() {
            table.swap(last, (random(&mut seed) >> 33) as usize % last);
        }
        let mut at = 0;
        let time = ticks(60, || at = (0..PLACES).fold(at, |at, _| table[at as usize]));
        black_box(at);
        let each = time / cycle / PLACES as f64;
        println!("a number of {} KiB that says where the next one is: {each:.1} cycles", length / 256);
        product += each.ln();
        count += 1.0;
    }
    println!("geometric mean: {:.1} cycles", (product / count).exp());
}

/// Counters of 16 lanes that lie interleaved, 16 for each: gathered from where they were just scattered, and from elsewhere.
fn counters(cycle: f64) {
    if !is_x86_feature_detected!("avx512f") {
        return;
    }
    let mut seed = 1u64;
    let mut places = vec![0i32; PLACES];
    for (lane, place) in (0..16).cycle().zip(&mut places) {
        *place = ((random(&mut seed) >> 40) as i32 & 15) * 16 + lane;
    }
    let mut tables = [[0i32; 256]; 2];
    let of = |from: usize, tables: &mut [[i32; 256]; 2]| {
        // SAFETY: the machine has the instructions, and all places are in a table.
        ticks(RUNS, || unsafe { counted(tables, from, &places) }) / cycle / (PLACES / 16) as f64
    };
    let (same, other) = (of(0, &mut tables), of(1, &mut tables));
    println!("16 counters: scattered and gathered again {same:.1} cycles, gathered from elsewhere {other:.1}");
}

/// # Safety
/// The machine has AVX-512, and the places are in the tables.
#[target_feature(enable = "avx512f")]
unsafe fn counted(tables: &mut [[i32; 256]; 2], from: usize, places: &[i32]) {
    for places in places.chunks_exact(16) {
        // SAFETY: these are as many, and the tables are as long, as the caller says.
        unsafe {
            let places = _mm512_loadu_epi32(places.as_ptr());
            let found = _mm512_i32gather_epi32::<4>(places, tables[from].as_ptr());
            _mm512_i32scatter_epi32::<4>(tables[0].as_mut_ptr(), places, _mm512_add_epi32(found, _mm512_set1_epi32(1)));
        }
    }
}

/// # Safety
/// The machine has AVX-512, and the places are in the table.
#[target_feature(enable = "avx512f")]
unsafe fn gathered(table: &[f32], places: &[i32]) {
    let mut sum = _mm512_setzero_ps();
    for places in places.chunks_exact(16) {
        // SAFETY: these are as many, and the table is as long, as the caller says.
        unsafe {
            let places = _mm512_loadu_epi32(places.as_ptr());
            sum = _mm512_add_ps(sum, _mm512_i32gather_ps::<4>(places, table.as_ptr()));
        }
    }
    black_box(sum);
}

fn loaded(table: &[f32], places: &[i32]) {
    let mut sums = [0.0f32; 4];
    for places in places.chunks_exact(4) {
        for (sum, place) in sums.iter_mut().zip(places) {
            *sum += table[*place as usize];
        }
    }
    black_box(sums);
}

/// The least ticks of the processor's counter.
fn ticks(runs: u32, mut code: impl FnMut()) -> f64 {
    let time = |_| {
        // SAFETY: every x86-64 has the counter.
        let start = unsafe { _rdtsc() };
        code();
        // SAFETY: as above.
        unsafe { _rdtsc() - start }
    };
    (0..runs).map(time).min().unwrap_or_default() as f64
}

/// Additions that each wait a cycle for the one before.
fn chain() {
    let mut number = 0u64;
    for _ in 0..CHAIN {
        // SAFETY: it changes the number and nothing else.
        unsafe { asm!("add {0}, 1", inout(reg) number, options(nomem, nostack)) };
    }
    black_box(number);
}

/// Quotients of which each is the number that the next divides.
fn divisions64() {
    let mut number = black_box(0x1234_5678_9abc_def0u64);
    for _ in 0..MANY {
        // SAFETY: the divisor is not zero, and the upper half of what is divided is less.
        unsafe {
            asm!("xor edx, edx", "div {0}", "or rax, {1}", in(reg) 7u64, in(reg) 0x1234_5678_9abc_def0u64,
                 inout("rax") number, out("rdx") _, options(nomem, nostack));
        }
    }
    black_box(number);
}

/// The same of words.
fn divisions32() {
    let mut number = black_box(0x1234_5678u32);
    for _ in 0..MANY {
        // SAFETY: as above.
        unsafe {
            asm!("xor edx, edx", "div {0:e}", "or eax, {1:e}", in(reg) 7u32, in(reg) 0x1234_5678u32,
                 inout("eax") number, out("edx") _, options(nomem, nostack));
        }
    }
    black_box(number);
}

#[inline(never)]
fn called(a: f32, b: f32, c: f32) -> f32 {
    black_box(a) * b + c
}

/// Goes one way or the other by each bit. No compiler makes a choice of these.
fn branches(bits: &[u8]) {
    let mut number = 0u64;
    for bit in bits {
        match *bit {
            // SAFETY: it changes the number and nothing else.
            0 => unsafe { asm!("inc {0}", inout(reg) number, options(nomem, nostack)) },
            // SAFETY: as above.
            _ => unsafe { asm!("dec {0}", inout(reg) number, options(nomem, nostack)) },
        }
    }
    black_box(number);
}

/// Goes through a matrix by these strides, a number at a time.
fn walk(matrix: &[f32], size: usize, outer: usize, inner: usize) {
    let mut number = 0.0f32;
    for i in 0..size {
        for j in 0..size {
            number = black_box(matrix[i * outer + j * inner]);
        }
    }
    black_box(number);
}
