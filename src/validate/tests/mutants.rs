//! Whatever the words are, decoding and validating return. Valid modules are valid; broken ones are refused or valid too,
//! but never a panic, an overflowing stack or memory without bound.

use std::path::PathBuf;
use std::sync::LazyLock;
use std::thread;

use oxicl_caps::DeviceCaps;
use oxicl_mutator::{Random, mutate};
use oxicl_offline::{Level, assemble, compile};
use oxicl_spirv::{Module, decode, disassemble, link, words_from_bytes};
use oxicl_validate::validate;

/// Stack of the threads that validate: less than an application's thread has, so that recursion on the shape of the
/// input shows.
const STACK: usize = 128 * 1024;

/// The corpus as words, by name.
fn corpus() -> Vec<(String, Vec<u32>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut modules = Vec::new();
    let mut sources: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("the corpus").map(|entry| entry.expect("an entry").path()).collect();
    sources.sort();
    for source in sources {
        let text = std::fs::read_to_string(&source).expect("a source");
        for level in [Level::Plain, Level::Optimised] {
            let bytes = compile(&text, level).expect("the corpus compiles");
            modules.push((format!("{} {level:?}", source.display()), words_from_bytes(&bytes).expect("words")));
        }
    }
    modules
}

/// Runs `work` on a small stack.
fn on_small_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    thread::Builder::new().stack_size(STACK).spawn(work).expect("a thread").join().expect("no panic")
}

/// Decodes and validates; true if the words are a valid module.
fn is_valid(words: &[u32]) -> bool {
    static CAPS: LazyLock<DeviceCaps> = LazyLock::new(DeviceCaps::example);
    decode(words).is_ok_and(|module| validate(module, &CAPS).is_ok())
}

#[test]
fn the_modules_of_clang_are_valid() {
    for (name, words) in corpus() {
        on_small_stack(move || {
            let module = decode(&words).unwrap_or_else(|error| panic!("{name}: {error}"));
            if let Err(violations) = validate(module, &DeviceCaps::example()) {
                let lines: Vec<String> = violations.iter().map(ToString::to_string).collect();
                panic!("{name}:\n{}", lines.join("\n"));
            }
        });
    }
}

#[test]
fn the_modules_of_clang_survive_disassembly() {
    for (name, words) in corpus() {
        let text = disassemble(&decode(&words).expect("a module"));
        let again =
            words_from_bytes(&assemble(&text).unwrap_or_else(|error| panic!("{name}: {error}"))).expect("words");
        assert!(again.get(5..) == words.get(5..), "{name}");
    }
}

#[test]
fn modules_of_clang_stay_valid_when_they_are_linked() {
    let modules: Vec<Module> = corpus()
        .iter()
        .filter(|(name, _)| name.ends_with("Plain") && !name.contains("program_scope"))
        .map(|(_, words)| decode(words).expect("a module"))
        .collect();
    let kernels: usize = modules.iter().map(|module| module.entry_points.len()).sum();
    let words = link(&modules.iter().collect::<Vec<_>>(), false).expect("links");
    let linked = validate(decode(&words).expect("a module"), &DeviceCaps::example());
    let linked = linked.unwrap_or_else(|violations| panic!("{}", violations[0]));
    assert_eq!(linked.facts().kernels.len(), kernels);
}

#[test]
fn mutants_are_judged_without_a_panic() {
    judge_mutants(1500);
}

#[test]
#[ignore = "takes minutes; for a release build"]
fn many_mutants_are_judged_without_a_panic() {
    judge_mutants(200_000);
}

fn judge_mutants(count: u64) {
    let corpus = corpus();
    let donors: Vec<Vec<u32>> = corpus.iter().map(|(_, words)| words.clone()).collect();
    for (number, (name, words)) in corpus.into_iter().enumerate() {
        let donor = donors[(number + 1) % donors.len()].clone();
        let valid = on_small_stack(move || {
            let seeds = (0..count).map(|seed| (number as u64) << 32 | seed);
            seeds.filter(|&seed| is_valid(&mutate(&words, &donor, &mut Random::new(seed)))).count()
        });
        // Names and hints may change freely, so some mutants stay valid; most must not.
        assert!(valid < usize::try_from(count).expect("small") * 3 / 4, "{name}: {valid} of {count} mutants are valid");
    }
}
