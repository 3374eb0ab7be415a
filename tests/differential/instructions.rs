//! Instructions one by one: `instructions/*.spvasm`, each file one module.
//!
//! What all modules have is in `kernel.template`, in which lines `@capabilities`, `@types`, `@body` and the like are places.
//! A file has cases: `; == what the case shows`, with ` => number` where the result is known, then lines that go to the place
//! `@body`, or to another one after a line `; @name`. Ids that a case defines are its own. What it defines as `%r`, a scalar
//! or a vector, is stored, each component in 64 bits.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use oxicl_caps::DeviceCaps;
use oxicl_interpret::NdRange;
use oxicl_protocol::{CompileOptions, Tier};
use oxicl_spirv::grammar::Op;
use oxicl_validate::ValidModule;

use crate::{Case, compiled, flow, reference};

/// 64-bit words that a case stores.
const WORDS: usize = 16;
const ITEMS: u64 = 6;
const GROUP: u64 = 3;

/// What the input buffer holds: integers, then bits of two floats, of two doubles and of two halves.
const INPUT: [u64; 10] = [
    7,
    3,
    0xfedc_ba98_7654_3210,
    0,
    0x3fc0_0000,
    0xc010_0000,
    0x3ff8_0000_0000_0000,
    0xc002_0000_0000_0000,
    0x3e00,
    0xc080,
];

/// A case of a file.
struct Instruction {
    heading: String,
    expected: Option<u64>,
    places: Vec<(String, String)>,
}

/// Runs a file on the reference device and compiled in every way, and compares.
///
/// # Errors
/// What does not assemble, validate or compile, and every result that differs.
pub fn check_file(path: &Path) -> Result<BTreeSet<String>, String> {
    let text = |path: &Path| std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()));
    let template = text(&path.with_file_name("kernel.template"))?;
    check_cases(&path.display().to_string(), &template, &read(&text(path)?)?)
}

/// Runs a case with random control flow in the same ways.
///
/// # Errors
/// As [`check_file`].
pub fn check_flow(seed: u64) -> Result<(), String> {
    check_body(&format!("seed {seed}"), flow::body(seed))
}

/// Runs a switch of many cases, in an integer of a width.
///
/// # Errors
/// As [`check_file`].
pub fn check_large_switch(cases: u64, width: u32) -> Result<(), String> {
    check_body(&format!("a switch of {cases} cases"), flow::large_switch(cases, width))
}

/// Runs a long chain of blocks.
///
/// # Errors
/// As [`check_file`].
pub fn check_long_chain(blocks: u64) -> Result<(), String> {
    check_body(&format!("a chain of {blocks} blocks"), flow::long_chain(blocks))
}

fn check_body(name: &str, body: String) -> Result<(), String> {
    let template = include_str!("instructions/kernel.template");
    let types = flow::constants(&body);
    let places = vec![("body".to_owned(), body), ("types".to_owned(), types)];
    let case = Instruction { heading: "control flow".to_owned(), expected: None, places };
    check_cases(name, template, &[case]).map(|_| ())
}

fn check_cases(name: &str, template: &str, cases: &[Instruction]) -> Result<BTreeSet<String>, String> {
    let module = assemble(template, cases);
    let bytes =
        oxicl_offline::assemble(&module).map_err(|log| format!("{}: {log}\n{}", name, line_of(&log, &module)))?;
    let words = oxicl_spirv::words_from_bytes(&bytes).map_err(|error| error.to_string())?;
    let decoded = oxicl_spirv::decode(&words).map_err(|error| error.to_string())?;
    let valid = oxicl_validate::validate(decoded, DeviceCaps::host()).map(Arc::new).map_err(|violations| {
        violations.iter().map(|violation| format!("{name}: {violation}\n")).collect::<String>()
    })?;
    let case = Case {
        range: NdRange { work_dim: 1, global_offset: [0; 3], global_size: [ITEMS, 1, 1], local_size: [GROUP, 1, 1] },
        input: INPUT.iter().flat_map(|word| word.to_le_bytes()).collect(),
        n: 5,
        output: vec![0; cases.len() * ITEMS as usize * WORDS * 8],
        overlap: None,
        scratch: 1024,
    };
    let expected = reference(&valid, &case).map_err(|fault| format!("{name}: {fault}"))?;
    let mut wrong = known(cases, &expected);
    let unoptimised = CompileOptions { opt_disable: true, ..Default::default() };
    for (way, options, tier) in [
        ("without optimisation", unoptimised, Tier::Full),
        ("cheap tier", CompileOptions::default(), Tier::Cheap),
        ("full tier", CompileOptions::default(), Tier::Full),
        ("gangs of 8", CompileOptions { lanes: 8, ..Default::default() }, Tier::Cheap),
    ] {
        let found = compiled::run(&valid, &case, options, tier).map_err(|what| format!("{name}: {way}: {what}"))?;
        wrong.extend(differences(cases, &expected, &found).into_iter().map(|what| format!("{way}: {what}")));
    }
    if wrong.is_empty() { Ok(executed(&valid)) } else { Err(format!("{name}:\n{}", wrong.join("\n"))) }
}

/// Names of the instructions in a module's functions, those of extended sets with the set's own names.
fn executed(valid: &ValidModule) -> BTreeSet<String> {
    let module = valid.module();
    let instructions = module.functions.iter().flat_map(|f| &f.blocks).flat_map(|block| &block.instructions);
    instructions
        .map(|instruction| match instruction.op {
            Op::ExtInst => instruction.word(module, 1).and_then(oxicl_spirv::opencl_std_name).unwrap_or("?").to_owned(),
            op => oxicl_spirv::op_name(op),
        })
        .collect()
}

fn read(text: &str) -> Result<Vec<Instruction>, String> {
    let mut cases = Vec::new();
    for part in text.split("\n; == ").skip(1) {
        let (heading, lines) = part.split_once('\n').unwrap_or((part, ""));
        let expected = match heading.split_once(" => ") {
            Some((_, number)) => Some(number_of(number).ok_or_else(|| format!("{heading}: no number"))?),
            None => None,
        };
        let mut places = vec![("body".to_owned(), String::new())];
        for line in lines.lines().filter(|line| !line.trim().is_empty()) {
            match line.strip_prefix("; @") {
                Some(name) => places.push((name.trim().to_owned(), String::new())),
                None => {
                    if let Some((_, text)) = places.last_mut() {
                        text.push_str(line);
                        text.push('\n');
                    }
                }
            }
        }
        cases.push(Instruction { heading: heading.to_owned(), expected, places });
    }
    Ok(cases)
}

fn number_of(text: &str) -> Option<u64> {
    let text = text.trim();
    match (text.strip_prefix("0x"), text.strip_prefix('-')) {
        (Some(digits), _) => u64::from_str_radix(&digits.replace('_', ""), 16).ok(),
        (_, Some(digits)) => digits.parse::<u64>().ok().map(u64::wrapping_neg),
        _ => text.parse().ok(),
    }
}

/// The whole module.
fn assemble(template: &str, cases: &[Instruction]) -> String {
    let mut places: HashMap<String, String> = HashMap::new();
    for (number, case) in cases.iter().enumerate() {
        // What is defined outside of the body may be used by other cases.
        let body = case.places.iter().filter(|(name, _)| name == "body").map(|(_, text)| text.as_str());
        let own: Vec<&str> = body.flat_map(str::lines).filter_map(defined).collect();
        for (name, text) in &case.places {
            let text = if name == "body" { renamed(text, &own, number) } else { text.clone() };
            places.entry(name.clone()).or_default().push_str(&text);
            if name == "body"
                && let Some(line) = text.lines().find(|line| defined(line) == Some(&format!("%r_{number}")))
            {
                let store = store(line, number);
                places.entry(name.clone()).or_default().push_str(&store);
            }
        }
    }
    let mut module = String::new();
    let words: String =
        (0..cases.len() * WORDS).map(|word| format!("%word{word} = OpConstant %ulong {word}\n")).collect();
    for line in template.lines() {
        match line.trim().strip_prefix('@') {
            Some(name) => {
                if name == "types" {
                    module.push_str(&words);
                    module.push_str(&format!("%stride = OpConstant %ulong {}\n", cases.len() * WORDS));
                }
                module.push_str(places.get(name).map_or("", String::as_str));
            }
            None => module.push_str(line),
        }
        module.push('\n');
    }
    module
}

/// The id that a line defines.
fn defined(line: &str) -> Option<&str> {
    line.trim().split_once(" = ").map(|(id, _)| id.trim()).filter(|id| id.starts_with('%'))
}

/// The case's own ids, with its number.
fn renamed(text: &str, own: &[&str], number: usize) -> String {
    let word = |word: &str| {
        if own.contains(&word) { format!("{word}_{number}") } else { word.to_owned() }
    };
    text.lines().map(|line| line.split(' ').map(word).collect::<Vec<_>>().join(" ") + "\n").collect()
}

/// Stores `%r`, of the type that its instruction names.
fn store(line: &str, number: usize) -> String {
    let ty = line.split_whitespace().nth(3).unwrap_or_default().trim_start_matches('%');
    let scalar = ty.trim_end_matches(|c: char| c.is_ascii_digit());
    let count = ty.trim_start_matches(scalar).parse().unwrap_or(1usize);
    let (mut text, r) = (String::new(), format!("%r_{number}"));
    for part in 0..count {
        let at = format!("{number}_{part}");
        let value = if count == 1 {
            r.clone()
        } else {
            text += &format!("%part_{at} = OpCompositeExtract %{scalar} {r} {part}\n");
            format!("%part_{at}")
        };
        text += &match scalar {
            "ulong" => format!("%bits_{at} = OpCopyObject %ulong {value}\n"),
            "uchar" | "ushort" | "uint" => format!("%bits_{at} = OpUConvert %ulong {value}\n"),
            "half" => format!("%int_{at} = OpBitcast %ushort {value}\n%bits_{at} = OpUConvert %ulong %int_{at}\n"),
            "float" => format!("%int_{at} = OpBitcast %uint {value}\n%bits_{at} = OpUConvert %ulong %int_{at}\n"),
            "double" => format!("%bits_{at} = OpBitcast %ulong {value}\n"),
            _ => format!("%bits_{at} = OpSelect %ulong {value} %l1 %l0\n"),
        };
        text += &format!(
            "%to_{at} = OpInBoundsPtrAccessChain %g_ulong %own %word{}\nOpStore %to_{at} %bits_{at} Aligned 8\n",
            number * WORDS + part
        );
    }
    text
}

/// The line that a message of spirv-as names: `error: LINE: COLUMN: what`.
fn line_of(log: &str, module: &str) -> String {
    let number = log.split(": ").nth(1).and_then(|number| number.trim().parse::<usize>().ok());
    number.and_then(|number| module.lines().nth(number.saturating_sub(1))).unwrap_or_default().to_owned()
}

fn word(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at * 8..).and_then(<[u8]>::first_chunk).map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// What differs from the results that the headings name.
fn known(cases: &[Instruction], found: &[u8]) -> Vec<String> {
    let mut wrong = Vec::new();
    for item in 0..ITEMS as usize {
        for (number, case) in cases.iter().enumerate() {
            let value = word(found, (item * cases.len() + number) * WORDS);
            if case.expected.is_some_and(|expected| expected != value) {
                wrong.push(format!("the reference: {}: work-item {item} has {value:#x}", case.heading));
            }
        }
    }
    wrong
}

fn differences(cases: &[Instruction], expected: &[u8], found: &[u8]) -> Vec<String> {
    (0..expected.len() / 8)
        .filter(|at| word(expected, *at) != word(found, *at))
        .filter_map(|at| {
            let (item, place) = (at / (cases.len() * WORDS), at % (cases.len() * WORDS));
            let case = cases.get(place / WORDS)?;
            Some(format!(
                "{}: work-item {item}, word {}: {:#x}, the reference has {:#x}",
                case.heading,
                place % WORDS,
                word(found, at),
                word(expected, at)
            ))
        })
        .collect()
}
