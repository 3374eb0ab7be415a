//! Every extension of SPIR-V that `docs/extensions.md` has: the accepted ones compute what they say, the ignored ones
//! change nothing, the refused ones are refused by name and with the reason.
//!
//! `cases.spvasm` has the modules. A case starts with `; == EXTENSION: what it shows`, then has `; in` with the first
//! words of the buffer and `; out` with its first word after the kernel, or `; log` with what the build log must have.
//! Lines that follow belong to the body of the kernel, or to another place of `kernel.template` after `; @place`. The
//! body computes `%r` from `%a`, `%b`, `%c` and `%d`, the words of the buffer.

use std::collections::BTreeMap;

use oxicl_caps::{SPIRV_EXTENSIONS, Support};
use oxicl_tests::client::{Buffer, Program};
use oxicl_tests::offline::assemble_as;

const TEMPLATE: &str = include_str!("kernel.template");
const CASES: &str = include_str!("cases.spvasm");

/// What must come of a module.
#[derive(Debug)]
enum Outcome {
    /// The buffer's first word, from its first words.
    Result { input: Vec<u32>, output: u32 },
    /// The build fails, and its log has this text.
    Log(String),
}

struct Case {
    extension: &'static str,
    heading: &'static str,
    text: String,
    outcome: Outcome,
}

/// The module that parts make; the extension is named unless the case does it itself.
fn module(extension: &str, parts: &BTreeMap<&str, String>) -> String {
    let mut text = String::new();
    // The interface of the kernel lists every variable of the module.
    let variables = parts.get("types").map_or("", String::as_str).lines().filter(|line| line.contains("= OpVariable"));
    let interface: Vec<&str> = variables.filter_map(|line| line.split_whitespace().next()).collect();
    for line in TEMPLATE.lines() {
        match line.strip_prefix('@') {
            Some("extension") => text.push_str(&format!("OpExtension \"{extension}\"\n")),
            Some(place) => text.push_str(parts.get(place).map_or("", String::as_str)),
            None if line.starts_with("OpEntryPoint") => {
                text.push_str(&format!("{line} {}\n", interface.join(" ")));
            }
            None => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    text
}

fn words(text: &str) -> Vec<u32> {
    let word = |word: &str| match word.strip_prefix("0x") {
        Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
        None => word.parse(),
    };
    text.split_whitespace().map(|text| word(text).unwrap_or_else(|error| panic!("{text}: {error}"))).collect()
}

fn cases() -> Vec<Case> {
    let parts = CASES.split("\n; == ").skip(1);
    parts
        .map(|part| {
            let (heading, lines) = part.split_once('\n').expect("a heading line");
            let (extension, _) = heading.split_once(':').expect("an extension");
            let mut places = BTreeMap::from([("body", String::new())]);
            let mut place = "body";
            let (mut input, mut output, mut log) = (Vec::new(), None, None);
            for line in lines.lines() {
                if let Some(name) = line.strip_prefix("; @") {
                    place = name.trim();
                    assert!(TEMPLATE.contains(&format!("@{place}")), "{heading}: no place @{place}");
                } else if let Some(text) = line.strip_prefix("; in ") {
                    input = words(text);
                } else if let Some(text) = line.strip_prefix("; out ") {
                    output = Some(words(text)[0]);
                } else if let Some(text) = line.strip_prefix("; log ") {
                    log = Some(text.to_owned());
                } else {
                    let text = places.entry(place).or_default();
                    text.push_str(line);
                    text.push('\n');
                }
            }
            input.resize(8, 0);
            let outcome = match (output, log) {
                (Some(output), None) => Outcome::Result { input, output },
                (None, Some(log)) => {
                    places.get_mut("body").expect("it is there").push_str("%r = OpCopyObject %uint %a\n");
                    Outcome::Log(log)
                }
                _ => panic!("{heading}: one of `; out` and `; log`"),
            };
            Case { extension, heading, text: module(extension, &places), outcome }
        })
        .collect()
}

/// Builds and runs the module of a case; what is wrong, if something is.
fn judge(case: &Case) -> Result<(), String> {
    let session = oxicl_tests::session();
    let bytes = assemble_as(&case.text, 4)?;
    let built = Program::build(&session.context, &bytes, "");
    match (&case.outcome, built) {
        (Outcome::Result { input, output }, Ok(program)) => {
            let run = || {
                let kernel = program.kernel("k")?;
                let buffer = Buffer::from_slice(&session.context, input)?;
                kernel.set_buffer(0, &buffer)?;
                session.queue.launch(&kernel, [1], None)?;
                session.queue.read(&buffer)
            };
            let found = run().map_err(|error| format!("{error:?}"))?[0];
            if found == *output { Ok(()) } else { Err(format!("gives {found:#x}, not {output:#x}")) }
        }
        (Outcome::Log(text), Err(error)) => {
            let log = error.to_string();
            if log.contains(text.as_str()) { Ok(()) } else { Err(format!("the log has no `{text}`:\n{log}")) }
        }
        (Outcome::Result { .. }, Err(error)) => Err(format!("does not build: {error}")),
        (Outcome::Log(_), Ok(_)) => Err("builds".to_owned()),
    }
}

#[test]
fn what_an_accepted_extension_adds_does_what_it_says() {
    let failures: Vec<String> =
        cases().iter().filter_map(|case| judge(case).err().map(|error| format!("{}: {error}", case.heading))).collect();
    assert!(failures.is_empty(), "{} cases fail:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn a_refused_extension_is_refused_by_name_and_with_the_reason() {
    let session = oxicl_tests::session();
    for row in SPIRV_EXTENSIONS.iter().filter(|row| row.support == Support::Refused) {
        let body = BTreeMap::from([("body", "%r = OpCopyObject %uint %a\n".to_owned())]);
        let bytes = assemble_as(&module(row.name, &body), 4).expect("the template assembles");
        let Err(error) = Program::build(&session.context, &bytes, "") else { panic!("{} builds", row.name) };
        let log = error.to_string();
        assert!(log.contains(row.name) && log.contains(row.note), "{}: {log}", row.name);
    }
}

#[test]
fn every_accepted_extension_has_a_case() {
    let cases = cases();
    let lacking: Vec<&str> = SPIRV_EXTENSIONS
        .iter()
        .filter(|row| row.support != Support::Refused && !cases.iter().any(|case| case.extension == row.name))
        .map(|row| row.name)
        .collect();
    assert!(lacking.is_empty(), "no case for {lacking:?}");
    let names = SPIRV_EXTENSIONS.iter().map(|row| row.name);
    for case in &cases {
        assert!(names.clone().any(|name| name == case.extension), "{}: no such row", case.heading);
    }
}

#[test]
fn the_table_has_every_extension_that_the_compiler_names() {
    // Asked one by one, because it lists none: it refuses names that it does not know.
    let known = |name: &str| {
        let output = std::process::Command::new("llc-22")
            .args(["-mtriple=spirv64", &format!("--spirv-ext=+{name}"), "-o", "-"])
            .stdin(std::process::Stdio::null())
            .output()
            .expect("llc-22 of llvm-22 is installed");
        output.status.success()
    };
    assert!(known("SPV_KHR_expect_assume") && !known("SPV_KHR_no_such_extension"));
    let count = SPIRV_EXTENSIONS.iter().filter(|row| known(row.name)).count();
    assert_eq!(count, EXTENSIONS_OF_LLVM, "of the extensions that LLVM 22's SPIR-V target has");
}

/// Extensions in LLVM 22's table `SPIRVExtensionMap`.
const EXTENSIONS_OF_LLVM: usize = 75;

#[test]
fn the_reference_device_agrees() {
    oxicl_tests::again_on_the_reference_device(&[]);
}
