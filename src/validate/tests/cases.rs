//! The rules, each with modules that break it: `cases/*.spvasm`.
//!
//! A file starts with a module in which `@name` lines are places. After it come cases: `; == what the case shows`, then
//! lines that go to the place `@body`, or to another one after a line `; @name`. A line that breaks a rule ends with
//! `; expect: Rule`; a case without such a line is valid. A line that is accepted with a warning ends with
//! `; warn: Quirk`. spirv-val must judge a case as we do, unless its heading ends with `(spirv-val differs)`.

use std::path::{Path, PathBuf};

use oxicl_caps::DeviceCaps;
use oxicl_offline::assemble;
use oxicl_spirv::{decode, raw_instructions, words_from_bytes};
use oxicl_validate::{Quirk, Rule, Violation, validate};

/// A case, with the text of its whole module.
struct Case {
    heading: String,
    text: String,
}

/// The cases of a file.
fn cases(path: &Path) -> Vec<Case> {
    let text = std::fs::read_to_string(path).expect("a file of cases");
    let mut parts = text.split("\n; == ");
    let template = parts.next().expect("a template");
    parts
        .map(|part| {
            let (heading, lines) = part.split_once('\n').expect("a heading line");
            let mut places: Vec<(String, String)> = vec![("body".to_owned(), String::new())];
            for line in lines.lines() {
                match line.strip_prefix("; @") {
                    Some(name) => places.push((name.trim().to_owned(), String::new())),
                    None => {
                        let (_, text) = places.last_mut().expect("a place");
                        text.push_str(line);
                        text.push('\n');
                    }
                }
            }
            let mut module = String::new();
            for line in template.lines() {
                match line.trim().strip_prefix('@') {
                    Some(name) => {
                        places.iter().filter(|(place, _)| place == name).for_each(|(_, text)| module.push_str(text))
                    }
                    None => {
                        module.push_str(line);
                        module.push('\n');
                    }
                }
            }
            for (name, _) in &places {
                assert!(template.contains(&format!("@{name}")), "{}: {heading}: no place @{name}", path.display());
            }
            Case { heading: heading.to_owned(), text: module }
        })
        .collect()
}

/// The instruction lines of assembly text: line, and the rule that it breaks or the quirk that it shows.
fn instruction_lines(text: &str) -> Vec<(String, Option<String>)> {
    text.lines()
        .filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with(';'))
        .map(|line| match line.split_once("; expect:").or_else(|| line.split_once("; warn:")) {
            Some((line, name)) => (line.trim().to_owned(), Some(name.trim().to_owned())),
            None => (line.trim().to_owned(), None),
        })
        .collect()
}

/// The violations that we find, or the warnings of a valid module, as (line, rule or quirk); true if it is valid.
fn found(words: &[u32], lines: &[(String, Option<String>)]) -> (Vec<(String, String)>, bool) {
    let line = |offset| line_at(words, lines, offset);
    let violations = match decode(words) {
        Ok(module) => validate(module, &DeviceCaps::example()),
        Err(error) => Err(vec![Violation::from(&error)]),
    };
    match violations {
        Ok(module) => {
            let warnings = module.warnings().iter();
            let named = warnings.map(|warning| (line(warning.location.offset), warning.quirk.name().to_owned()));
            (named.collect(), true)
        }
        Err(violations) => {
            let named = violations.iter().map(|broken| (line(broken.location.offset), broken.rule.name().to_owned()));
            (named.collect(), false)
        }
    }
}

/// The line of the instruction at a word offset.
fn line_at(words: &[u32], lines: &[(String, Option<String>)], offset: u32) -> String {
    let position = raw_instructions(words).position(|instruction| instruction.offset == offset);
    position.and_then(|position| lines.get(position)).map_or_else(|| "the module".to_owned(), |(line, _)| line.clone())
}

fn spirv_val_accepts(bytes: &[u8], name: &str) -> bool {
    let path = std::env::temp_dir().join(format!("oxicl-case-{}-{name}.spv", std::process::id()));
    std::fs::write(&path, bytes).expect("a file");
    let output = std::process::Command::new("spirv-val").args(["--target-env", "spv1.4"]).arg(&path).output();
    std::fs::remove_file(&path).expect("the file is there");
    output.expect("spirv-val of spirv-tools is installed").status.success()
}

#[test]
fn each_case_breaks_the_rules_that_it_names() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("cases").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    let mut failures = Vec::new();
    let mut covered = Vec::new();
    let mut count = 0;
    for file in files {
        let stem = file.file_stem().and_then(|stem| stem.to_str()).expect("a name").to_owned();
        for (number, case) in cases(&file).into_iter().enumerate() {
            count += 1;
            let name = format!("{stem}: {}", case.heading);
            let lines = instruction_lines(&case.text);
            let bytes = match assemble(&case.text) {
                Ok(bytes) => bytes,
                Err(message) => {
                    failures.push(format!("{name}: {message}"));
                    continue;
                }
            };
            let words = words_from_bytes(&bytes).expect("words");
            assert_eq!(raw_instructions(&words).count(), lines.len(), "{name}: a line is an instruction");
            let expected: Vec<(String, String)> =
                lines.iter().filter_map(|(line, rule)| Some((line.clone(), rule.clone()?))).collect();
            let (found, is_valid) = found(&words, &lines);
            let should_be_valid = !case.text.contains("; expect:");
            if found != expected || is_valid != should_be_valid {
                failures.push(format!("{name}\n  expected {expected:?}\n  found    {found:?}"));
            }
            let differs = case.heading.ends_with("(spirv-val differs)");
            if spirv_val_accepts(&bytes, &format!("{stem}{number}")) != (is_valid != differs) {
                failures.push(format!("{name}: spirv-val judges otherwise"));
            }
            covered.extend(expected.into_iter().map(|(_, rule)| rule));
        }
    }
    assert!(failures.is_empty(), "{} of {count} cases fail:\n{}", failures.len(), failures.join("\n"));
    // What assembly text cannot show is in words.rs.
    covered
        .extend(["PhysicalLayout", "UniversalLimit", "MemoryModelDeclared", "EnvironmentVersion"].map(str::to_owned));
    // Asynchronous copies are not offered yet, so no valid module can show their quirk.
    let quirks = Quirk::ALL.iter().filter(|quirk| **quirk != Quirk::AsyncCopyStride);
    let all = Rule::ALL.iter().map(|rule| rule.name()).chain(quirks.map(|quirk| quirk.name()));
    let missing: Vec<_> = all.filter(|name| !covered.iter().any(|c| c == name)).collect();
    assert!(missing.is_empty(), "no case shows {missing:?}");
}
