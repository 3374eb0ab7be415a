//! Whatever the words are, decoding and validating return. Valid modules are valid; broken ones are refused or valid too,
//! but never a panic, an overflowing stack or memory without bound.

use std::path::PathBuf;
use std::sync::LazyLock;
use std::thread;

use oxicl_caps::DeviceCaps;
use oxicl_offline::{Level, compile};
use oxicl_spirv::{decode, words_from_bytes};
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

/// A module from instructions, given as opcode and operands.
fn module(bound: u32, instructions: impl IntoIterator<Item = Vec<u32>>) -> Vec<u32> {
    let mut words = vec![0x0723_0203, 0x0001_0400, 0, bound, 0];
    for instruction in instructions {
        words.push((instruction.len() as u32) << 16 | instruction[0]);
        words.extend(&instruction[1..]);
    }
    words
}

const CAPABILITY: u32 = 17;
const MEMORY_MODEL: u32 = 14;
const TYPE_VOID: u32 = 19;
const TYPE_INT: u32 = 21;
const TYPE_STRUCT: u32 = 30;
const TYPE_FUNCTION: u32 = 33;
const CONSTANT: u32 = 43;
const CONSTANT_COMPOSITE: u32 = 44;
const FUNCTION: u32 = 54;
const FUNCTION_END: u32 = 56;
const FUNCTION_CALL: u32 = 57;
const DECORATE: u32 = 71;
const DECORATION_GROUP: u32 = 73;
const GROUP_DECORATE: u32 = 74;
const LABEL: u32 = 248;
const BRANCH: u32 = 249;
const RETURN: u32 = 253;

fn header() -> Vec<Vec<u32>> {
    vec![vec![CAPABILITY, 6], vec![CAPABILITY, 4], vec![CAPABILITY, 5], vec![MEMORY_MODEL, 2, 2]]
}

#[test]
fn depth_costs_no_stack() {
    const DEPTH: u32 = 30_000;
    // Structures in structures, and constants of these.
    let mut nested = header();
    nested.push(vec![TYPE_INT, 1, 32, 0]);
    nested.extend((2..DEPTH).map(|id| vec![TYPE_STRUCT, id, id - 1]));
    nested.push(vec![CONSTANT, 1, DEPTH, 7]);
    nested.extend((2..DEPTH).map(|id| vec![CONSTANT_COMPOSITE, id, DEPTH + id, DEPTH + id - 2]));
    // Functions that call each other, and blocks that follow each other.
    let mut calls = header();
    calls.extend([vec![TYPE_VOID, 1], vec![TYPE_FUNCTION, 2, 1]]);
    for function in 0..DEPTH {
        let (id, label, call) = (3 + function * 3, 4 + function * 3, 5 + function * 3);
        calls.extend([vec![FUNCTION, 1, id, 0, 2], vec![LABEL, label], vec![FUNCTION_CALL, 1, call, id + 3]]);
        calls.extend([vec![RETURN], vec![FUNCTION_END]]);
    }
    let last = 3 + DEPTH * 3;
    calls.extend([vec![FUNCTION, 1, last, 0, 2], vec![LABEL, last + 1]]);
    for block in 0..DEPTH {
        calls.extend([vec![BRANCH, last + 2 + block], vec![LABEL, last + 2 + block]]);
    }
    calls.extend([vec![RETURN], vec![FUNCTION_END]]);
    for words in [module(DEPTH * 2 + 1, nested), module(DEPTH * 4 + 10, calls)] {
        on_small_stack(move || is_valid(&words));
    }
}

#[test]
fn small_modules_take_little_memory() {
    // The largest bound and id, and decoration groups that multiply.
    let far = module(4_194_304, [vec![CAPABILITY, 6], vec![TYPE_VOID, 4_194_303]]);
    let mut groups = vec![vec![CAPABILITY, 6], vec![DECORATION_GROUP, 1]];
    groups.splice(1..1, (0..30_000).map(|_| vec![DECORATE, 1, 19]));
    let mut application = vec![GROUP_DECORATE, 1];
    application.extend(std::iter::repeat_n(2, 60_000));
    groups.push(application);
    groups.push(vec![TYPE_VOID, 2]);
    let groups = module(3, groups);
    assert!(decode(&groups).is_err_and(|error| error.message.contains("decoration groups")));
    assert!(!is_valid(&far));
}
