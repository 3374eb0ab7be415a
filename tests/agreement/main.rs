//! Compares verdicts: `oxicl-agreement SPIRV-VAL FOLDER MUTANTS SEED [KEEP]`.
//!
//! Without mutants (0) all modules of the folder are judged as they are; else as many mutants of those that spirv-val
//! accepts. An example of each unexplained kind of disagreement goes to the folder KEEP.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use oxicl_agreement::{Disagreement, Judge};
use oxicl_mutator::{Random, mutate, spv_files};

/// Disagreements of one kind.
struct Kind {
    count: usize,
    explained: Option<&'static str>,
    example: String,
    words: Vec<u32>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [spirv_val, folder, mutants, seed, keep @ ..] = arguments.as_slice() else {
        eprintln!("usage: oxicl-agreement SPIRV-VAL FOLDER MUTANTS SEED [KEEP]");
        return ExitCode::from(2);
    };
    let (Ok(mutants), Ok(seed)) = (mutants.parse::<usize>(), seed.parse::<u64>()) else {
        eprintln!("MUTANTS and SEED are numbers");
        return ExitCode::from(2);
    };
    let judge = Judge::new(spirv_val);
    let files = match spv_files(Path::new(folder)) {
        Ok(files) => files,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    let kinds = Mutex::new(BTreeMap::new());
    let jobs = if mutants == 0 { files.len() } else { mutants };
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let job = next.fetch_add(1, Ordering::Relaxed);
                    if job >= jobs {
                        break;
                    }
                    let (name, words) =
                        if mutants == 0 { whole(&files, job) } else { mutant(&judge, &files, seed + job as u64) };
                    if let Some(disagreement) = judge.compare(&words) {
                        note(&kinds, &disagreement, name, words);
                    }
                }
            });
        }
    });
    report(&kinds.into_inner().expect("no panic"), jobs, keep.first().map(Path::new))
}

fn read(path: &Path) -> Vec<u32> {
    let bytes = std::fs::read(path).expect("a file");
    oxicl_spirv::words_from_bytes(&bytes).unwrap_or_default()
}

fn whole(files: &[PathBuf], job: usize) -> (String, Vec<u32>) {
    (files[job].display().to_string(), read(&files[job]))
}

/// The mutant that a seed stands for, of a module that spirv-val accepts.
fn mutant(judge: &Judge, files: &[PathBuf], seed: u64) -> (String, Vec<u32>) {
    let mut random = Random::new(seed);
    loop {
        let parent = random.pick(files);
        let words = read(parent);
        if judge.theirs(&words).is_none() {
            let donor: &PathBuf = random.pick(files);
            let donor = read(donor);
            return (format!("seed {seed} of {}", parent.display()), mutate(&words, &donor, &mut random));
        }
    }
}

fn note(kinds: &Mutex<BTreeMap<String, Kind>>, disagreement: &Disagreement, example: String, words: Vec<u32>) {
    let explained = disagreement.explanation().map(|explanation| explanation.reason);
    let mut kinds = kinds.lock().expect("no panic");
    let kind = kinds.entry(disagreement.subject()).or_insert(Kind { count: 0, explained, example, words });
    kind.count += 1;
}

fn report(kinds: &BTreeMap<String, Kind>, jobs: usize, keep: Option<&Path>) -> ExitCode {
    let mut sorted: Vec<_> = kinds.iter().collect();
    sorted.sort_by_key(|(_, kind)| std::cmp::Reverse(kind.count));
    let total: usize = kinds.values().map(|kind| kind.count).sum();
    let mut open = 0;
    for (number, (subject, kind)) in sorted.into_iter().enumerate() {
        let mark = if kind.explained.is_some() { "explained" } else { "OPEN" };
        println!("{:6} {mark:9} {subject}\n                   {}", kind.count, kind.example);
        if kind.explained.is_none() {
            open += kind.count;
            if let Some(folder) = keep {
                let bytes: Vec<u8> = kind.words.iter().flat_map(|word| word.to_le_bytes()).collect();
                std::fs::create_dir_all(folder).expect("the folder");
                std::fs::write(folder.join(format!("{number}.spv")), bytes).expect("a file");
                println!("                   kept as {number}.spv");
            }
        }
    }
    println!("{jobs} modules, {total} disagreements, {open} of them not explained");
    if open == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
