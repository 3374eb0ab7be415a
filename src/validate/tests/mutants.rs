//! Whatever the words are, decoding and validating return. Valid modules are valid; broken ones are refused or valid too,
//! but never a panic, an overflowing stack or memory without bound.

use std::path::PathBuf;
use std::sync::LazyLock;
use std::thread;

use oxicl_caps::DeviceCaps;
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

/// A seeded generator (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

/// Changes a module in one to three places.
fn mutate(words: &[u32], random: &mut Random) -> Vec<u32> {
    let mut mutant = words.to_vec();
    for _ in 0..1 + random.below(3) {
        let at = random.below(mutant.len());
        let small = random.below(300) as u32;
        match random.below(9) {
            0 => mutant[at] ^= 1 << random.below(32),
            1 => mutant[at] = small,
            2 => mutant[at] = random.0 as u32,
            3 => mutant.truncate(at.max(1)),
            4 => mutant.insert(at, small),
            5 => drop(mutant.remove(at)),
            6 => mutant[at] = mutant[random.below(mutant.len())],
            7 => mutant[at] = (mutant[at] & 0xffff_0000) | ((small + 1) % 450),
            _ => {
                // An operand of a whole instruction is exchanged for another module-wide id, which the grammar allows.
                let bound = mutant.get(3).copied().unwrap_or(1) as usize;
                mutant[at] = 1 + random.below(bound.min(1 << 20)) as u32;
            }
        }
        if mutant.is_empty() {
            mutant.push(small);
        }
    }
    mutant
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
    for (number, (name, words)) in corpus().into_iter().enumerate() {
        let valid = on_small_stack(move || {
            let mut random = Random(0x9e37_79b9_7f4a_7c15 + number as u64);
            (0..count).filter(|_| is_valid(&mutate(&words, &mut random))).count()
        });
        // Names and hints may change freely, so some mutants stay valid; most must not.
        assert!(valid < usize::try_from(count).expect("small") * 3 / 4, "{name}: {valid} of {count} mutants are valid");
    }
}
