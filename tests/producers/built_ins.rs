//! Every built-in function of OpenCL C through clang 22 by itself: what it has no instruction for it leaves as an import, and
//! that is given when the program is built.

#[path = "../../src/opencl_c/tests/header/mod.rs"]
mod header;

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use header::Declaration;
use oxicl_tests::client::Program;

/// Declarations that are compiled at a time.
const AT_A_TIME: usize = 400;

/// Extensions of SPIR-V without which clang does not compile functions that the device has.
const EXTENSIONS: &str = "-spirv-ext=+SPV_EXT_shader_atomic_float_add,+SPV_EXT_shader_atomic_float_min_max,\
                          +SPV_EXT_shader_atomic_float16_add,+SPV_KHR_bit_instructions,+SPV_KHR_shader_clock,+SPV_KHR_integer_dot_product,\
                          +SPV_KHR_uniform_group_instructions,+SPV_KHR_subgroup_rotate,+SPV_INTEL_subgroups";

/// Modules that clang makes and no rule allows: what a function's name begins with, what the driver says, and why.
const INVALID: &[(&str, &str, &str)] = &[
    ("atomic_load_explicit", "the memory scope is QueueFamily", "the order stands where the scope belongs"),
    ("atomic_compare_exchange_", "works on a", "numbers with fractions are exchanged as such, which only integers are"),
    ("write_image", "as a texel", "the level of detail stands where the texel belongs"),
    ("wait_group_events", "has a Event as operand 2, not a pointer", "the list of events is taken for an event"),
];

/// What clang makes of callers of built-in functions.
enum Made {
    Module(Vec<u8>),
    /// It finds errors in these lines.
    Errors(Vec<usize>),
    /// It died, or found something wrong elsewhere.
    Died(String),
}

/// Each caller has a line of its own, from the second on.
fn made(declarations: &[&Declaration], level: &str) -> Made {
    let callers = declarations.iter().enumerate();
    compiled(&callers.map(|(number, declaration)| header::caller(declaration, number)).collect::<String>(), level)
}

/// Compiles `text` from the second line on, and a kernel.
fn compiled(text: &str, level: &str) -> Made {
    let mut text = format!("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n{text}");
    text.push_str("kernel void k(global int *p, global float *q) { *p = 1; }\n");
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let stem = std::env::temp_dir().join(format!("oxicl-built-ins-{}-{number}", std::process::id()));
    let (source, out) = (stem.with_extension("cl"), stem.with_extension("spv"));
    std::fs::write(&source, text).expect("a temporary file");
    let output = Command::new("clang-22")
        .args(["-c", "-target", "spirv64v1.3", "-x", "cl", "-cl-std=CL3.0", "-w", "-ferror-limit=0", level])
        .args(["-mllvm", EXTENSIONS, "-fno-crash-diagnostics"])
        // It takes seconds to print a stack.
        .env("LLVM_DISABLE_SYMBOLIZATION", "1")
        .arg(&source)
        .arg("-o")
        .arg(&out)
        .output()
        .expect("cannot run clang-22, which `cargo xtask` installs");
    let words = std::fs::read(&out);
    for file in [source.as_path(), out.as_path()] {
        // What clang did not write is not there.
        let _ = std::fs::remove_file(file);
    }
    if output.status.success() {
        return Made::Module(words.expect("the module"));
    }
    let log = String::from_utf8_lossy(&output.stderr);
    let place = format!("{}:", source.display());
    let errors = log.lines().filter(|line| line.contains(" error: ")).filter_map(|line| line.strip_prefix(&place));
    let lines: Vec<usize> = errors.filter_map(|place| place.split(':').next()?.parse::<usize>().ok()).collect();
    if lines.is_empty() {
        let reason = log.lines().find(|line| line.contains("rror: ")).unwrap_or("it dies");
        return Made::Died(reason.split("0x").next().unwrap_or_default().to_owned());
    }
    Made::Errors(lines.into_iter().map(|line| line - 2).collect())
}

/// What became of all declarations.
#[derive(Default)]
struct Outcome {
    built: usize,
    /// Functions that clang does not compile, by the reason that it gives.
    not_compiled: BTreeMap<String, usize>,
    /// Functions of which it makes an invalid module, by the row of the table.
    invalid: BTreeMap<&'static str, usize>,
    /// What the driver says to valid ones.
    faults: Vec<String>,
}

impl Outcome {
    fn add(&mut self, declarations: &[&Declaration], level: &str) {
        let (mut left, mut failed) = (declarations.to_vec(), None);
        while !left.is_empty() && failed.is_none() {
            match made(&left, level) {
                Made::Module(words) => match build(&words) {
                    Ok(()) => {
                        self.built += left.len();
                        return;
                    }
                    Err(log) => failed = Some((log, true)),
                },
                Made::Errors(lines) => {
                    *self.not_compiled.entry("not declared".into()).or_default() += lines.len();
                    let mut line = 0..;
                    left.retain(|_| line.next().is_none_or(|line| !lines.contains(&line)));
                }
                Made::Died(reason) => failed = Some((reason, false)),
            }
        }
        match (failed, left.as_slice()) {
            (None, _) => {}
            (Some((log, true)), [only]) => self.refused(only, level, &log),
            (Some((reason, false)), [_]) => *self.not_compiled.entry(reason).or_default() += 1,
            (Some(_), all) => {
                let (first, second) = all.split_at(all.len() / 2);
                self.add(first, level);
                self.add(second, level);
            }
        }
    }

    /// One function's module does not build.
    fn refused(&mut self, declaration: &Declaration, level: &str, log: &str) {
        let row = INVALID.iter().find(|(name, says, _)| declaration.name.starts_with(name) && log.contains(says));
        match row {
            Some((name, ..)) => *self.invalid.entry(name).or_default() += 1,
            None => self.faults.push(format!("{} at {level}: {log}", header::caller(declaration, 0))),
        }
    }
}

fn build(words: &[u8]) -> Result<(), String> {
    let session = oxicl_tests::session();
    Program::build(&session.context, words, "").map(drop).map_err(|error| error.to_string())
}

#[test]
fn every_built_in_function_builds_that_clang_compiles() {
    let declarations = header::declarations();
    let mut outcome = Outcome::default();
    for level in ["-O0", "-O2"] {
        for part in declarations.chunks(AT_A_TIME) {
            outcome.add(&part.iter().collect::<Vec<_>>(), level);
        }
    }
    let Outcome { built, not_compiled, invalid, faults } = outcome;
    println!("{built} build; clang does not compile {not_compiled:#?}, and makes invalid modules of {invalid:#?}");
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    assert!(built > 27_000, "{built} build");
    let left = not_compiled.values().chain(invalid.values()).sum::<usize>();
    assert!(left < 400, "{left} are left out");
    let unused: Vec<_> = INVALID.iter().filter(|(name, ..)| !invalid.contains_key(name)).collect();
    assert!(unused.is_empty(), "clang makes valid modules of {unused:?}");
}

/// What names of functions begin with that clang does not know.
const UNKNOWN: &str = "zz_";

/// Every built-in function that some compiler might leave as an import, by the name that clang mangles of its declaration.
#[test]
fn every_built_in_function_is_given_where_it_is_imported() {
    let declarations = header::declarations();
    let (mut given, mut missing) = (0, Vec::new());
    for part in declarations.chunks(AT_A_TIME) {
        let all: Vec<_> =
            part.iter().map(|declaration| declaration.named(format!("{UNKNOWN}{}", declaration.name))).collect();
        let line = |(number, (other, text)): (usize, &(Declaration, String))| {
            format!("{} {}", text.trim_end(), header::caller(other, number))
        };
        let Made::Module(words) = compiled(&all.iter().enumerate().map(line).collect::<String>(), "-O0") else {
            panic!("clang does not compile functions of its own types")
        };
        match build(&renamed(&words)) {
            Ok(()) => given += part.len(),
            Err(log) => {
                let lines = log.lines().filter(|line| line.starts_with("error")).map(str::to_owned);
                let before = missing.len();
                missing.extend(lines);
                given += part.len() - (missing.len() - before).min(part.len());
            }
        }
    }
    // The number of work-items in a cluster has to be a constant, which is known to no function that is called.
    missing.retain(|line| !line.contains("sub_group_clustered_"));
    assert!(missing.is_empty(), "{} are not given:\n{}", missing.len(), missing.join("\n"));
    assert!(given > 13_000, "{given} are given");
}

/// `words` with imports of the names that clang does not know by those that are known: `_Z6zz_sinf` is `_Z3sinf`.
fn renamed(words: &[u8]) -> Vec<u8> {
    const OP_DECORATE: u32 = 71;
    const LINKAGE_ATTRIBUTES: u32 = 41;
    let words: Vec<u32> = words.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let (header, mut rest) = words.split_at(5);
    let mut result = header.to_vec();
    while let Some(first) = rest.first() {
        let (instruction, behind) = rest.split_at((first >> 16) as usize);
        rest = behind;
        let other = match instruction {
            [first, target, LINKAGE_ATTRIBUTES, name @ .., linkage] if first & 0xffff == OP_DECORATE => {
                let bytes: Vec<u8> =
                    name.iter().flat_map(|word| word.to_le_bytes()).take_while(|byte| *byte != 0).collect();
                known(&String::from_utf8(bytes).expect("a name")).map(|name| (*target, name, *linkage))
            }
            _ => None,
        };
        let Some((target, name, linkage)) = other else {
            result.extend(instruction);
            continue;
        };
        let mut bytes = name.into_bytes();
        bytes.resize((bytes.len() / 4 + 1) * 4, 0);
        let name = bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word));
        result.push((bytes.len() as u32 / 4 + 4) << 16 | OP_DECORATE);
        result.extend([target, LINKAGE_ATTRIBUTES]);
        result.extend(name);
        result.push(linkage);
    }
    result.into_iter().flat_map(u32::to_le_bytes).collect()
}

fn known(symbol: &str) -> Option<String> {
    let (length, name) = symbol.strip_prefix("_Z")?.split_once(UNKNOWN)?;
    Some(format!("_Z{}{name}", length.parse::<usize>().ok()? - UNKNOWN.len()))
}
