//! Modules written as words: shapes that cost stack or memory where they are walked naively, and rules that no assembly
//! text can break.

use std::thread;

use oxicl_caps::DeviceCaps;
use oxicl_spirv::decode;
use oxicl_validate::{Rule, Violation, validate, validate_object};

/// Runs `work` on a stack of 128 KiB.
fn on_small_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    thread::Builder::new().stack_size(128 * 1024).spawn(work).expect("a thread").join().expect("no panic")
}

/// The rules that the words break; `None` if they do not decode.
fn broken(words: &[u32]) -> Option<Vec<Rule>> {
    let violations = validate(decode(words).ok()?, &DeviceCaps::example()).err().unwrap_or_default();
    Some(violations.iter().map(|violation| violation.rule).collect())
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
const TYPE_POINTER: u32 = 32;
const TYPE_FUNCTION: u32 = 33;
const CONSTANT: u32 = 43;
const CONSTANT_COMPOSITE: u32 = 44;
const FUNCTION: u32 = 54;
const FUNCTION_END: u32 = 56;
const FUNCTION_CALL: u32 = 57;
const VARIABLE: u32 = 59;
const ACCESS_CHAIN: u32 = 65;
const DECORATE: u32 = 71;
const DECORATION_GROUP: u32 = 73;
const GROUP_DECORATE: u32 = 74;
const LABEL: u32 = 248;
const SWITCH: u32 = 251;
const STRING: u32 = 7;
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
        let rules = on_small_stack(move || broken(&words)).expect("the module decodes");
        assert!(rules.iter().all(|rule| *rule == Rule::UniversalLimit), "{rules:?}");
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
    assert!(broken(&far).is_some_and(|rules| rules == [Rule::MemoryModelDeclared]));
}

#[test]
fn every_version_that_the_device_offers_is_taken() {
    for minor in 0..=6 {
        let mut words = module(2, header());
        words[1] = 0x0001_0000 | minor << 8;
        let offered = DeviceCaps::example().spirv_version(1, minor as u8);
        let expected = if offered { Vec::new() } else { vec![Rule::EnvironmentVersion] };
        assert_eq!(broken(&words), Some(expected), "SPIR-V 1.{minor}");
    }
}

#[test]
fn only_an_object_may_import() {
    let mut words = header();
    words.push(vec![DECORATE, 3, 41, u32::from(b'f'), 1]);
    words.extend([vec![TYPE_VOID, 1], vec![TYPE_FUNCTION, 2, 1], vec![FUNCTION, 1, 3, 0, 2], vec![FUNCTION_END]]);
    let words = module(4, words);
    assert_eq!(broken(&words), Some(vec![Rule::Linkage]));
    let object = validate_object(decode(&words).expect("a module"), &DeviceCaps::example()).expect("an object");
    assert_eq!(object.imports(), ["f"]);
}

/// The words of a function `%90` of type void whose block `%91` holds `body`.
fn function(body: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
    let mut words = header();
    words.extend([vec![TYPE_VOID, 1], vec![TYPE_FUNCTION, 2, 1], vec![TYPE_INT, 3, 32, 0], vec![CONSTANT, 3, 4, 7]]);
    words.extend([vec![TYPE_POINTER, 5, 7, 3], vec![FUNCTION, 1, 90, 0, 2], vec![LABEL, 91]]);
    words.extend(body);
    words.push(vec![FUNCTION_END]);
    words
}

#[test]
fn numbers_stay_inside_the_universal_limits() {
    // Members of a structure.
    let mut members = header();
    members.push(vec![TYPE_INT, 1, 32, 0]);
    members.push([vec![TYPE_STRUCT, 2], vec![1; 16_384]].concat());
    // Cases of a switch, all of which go to the block behind it.
    let cases = (0..16_384).flat_map(|literal| [literal, 92]);
    let switch = [vec![SWITCH, 4, 92], cases.collect()].concat();
    let switch = function(vec![switch, vec![LABEL, 92], vec![RETURN]]);
    // Indices of an access chain.
    let chain = [vec![ACCESS_CHAIN, 5, 93, 92], vec![4; 256]].concat();
    let chain = function(vec![vec![VARIABLE, 5, 92, 7], chain, vec![RETURN]]);
    // Parameters of a function.
    let mut parameters = header();
    parameters.push(vec![TYPE_INT, 1, 32, 0]);
    parameters.push([vec![TYPE_FUNCTION, 2, 1], vec![1; 1_025]].concat());
    // Characters of a string.
    let characters = [header(), vec![[vec![STRING, 1], vec![0x6161_6161; 16_384], vec![0]].concat()]].concat();
    for (what, words) in [
        ("members", members),
        ("cases", switch),
        ("indices", chain),
        ("characters", characters),
        ("parameters", parameters),
    ] {
        assert_eq!(broken(&module(100, words)), Some(vec![Rule::UniversalLimit]), "{what}");
    }
}

#[test]
fn what_is_no_module_breaks_the_rules_of_words() {
    let whole = module(2, header());
    let rule = |words: &[u32]| {
        let error = decode(words).expect_err("no module");
        Violation::from(&error).rule
    };
    for length in 0..5 {
        assert_eq!(rule(&whole[..length]), Rule::PhysicalLayout, "{length} words of the header");
    }
    // Magic number, version, bound, schema, word counts of zero and beyond the end.
    for (at, word) in
        [(0, 0x0302_2307), (1, 0x0002_0000), (1, 0x0101_0000), (3, 0), (3, u32::MAX), (4, 1), (5, 17), (5, 0xffff_0011)]
    {
        let mut words = whole.clone();
        words[at] = word;
        assert_eq!(rule(&words), Rule::PhysicalLayout, "word {at} is {word:#x}");
    }
    assert_eq!(rule(&whole[..whole.len() - 1]), Rule::PhysicalLayout, "the last instruction is cut");
    assert_eq!(rule(&module(2, [vec![TYPE_VOID, 2]])), Rule::IdBound, "an id is the bound");
    assert_eq!(rule(&module(2, [vec![TYPE_VOID]])), Rule::IdBound, "a type has no id");
    assert_eq!(rule(&module(2, [vec![TYPE_VOID, 1, 1]])), Rule::Grammar, "an operand too many");
    assert_eq!(rule(&module(3, [vec![TYPE_INT, 1, 32]])), Rule::Grammar, "an operand too few");
    assert_eq!(rule(&module(2, [vec![CAPABILITY, 4_000]])), Rule::Grammar, "a capability that nobody knows");
    assert_eq!(rule(&module(2, [vec![MEMORY_MODEL, 99, 2]])), Rule::Grammar, "an addressing model that nobody knows");
}
