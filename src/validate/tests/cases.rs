//! The rules, each with modules that break it: `cases/*.spvasm`.
//!
//! A file starts with a line `; template NAME`: its modules are made of `cases/NAME.template`, in which `@name` lines are
//! places. Then come cases: `; == what the case shows`, then lines that go to the place `@body`, or to another one after a
//! line `; @name`. A line that breaks a rule ends with `; expect: Rule`; a case without such a line is valid. A line
//! that is accepted with a warning ends with `; warn: Quirk`.
//!
//! A heading may end with remarks in parentheses: `(1.0)`, the version of SPIR-V, else 1.4; `(object)` for a module that is
//! yet to be linked; `(spirv-val differs: why)`, without which spirv-val must judge the case as we do.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use oxicl_caps::DeviceCaps;
use oxicl_offline::assemble_as;
use oxicl_spirv::{decode, raw_instructions, words_from_bytes};
use oxicl_validate::{Quirk, Rule, Violation, validate, validate_object, validate_specialised};

/// How many cases must break a rule.
const INVALID_CASES: usize = 900;

/// A case, with the text of its whole module.
struct Case {
    /// File and heading.
    name: String,
    text: String,
    minor: u8,
    is_object: bool,
    /// spirv-val judges otherwise.
    differs: bool,
}

/// A heading without its remarks, and these.
fn remarks(heading: &str) -> (&str, Vec<&str>) {
    let mut heading = heading.trim();
    let mut remarks = Vec::new();
    while let Some((rest, remark)) = heading.strip_suffix(')').and_then(|heading| heading.rsplit_once('(')) {
        remarks.push(remark);
        heading = rest.trim();
    }
    (heading, remarks)
}

/// The cases of a file.
fn cases(path: &Path) -> Vec<Case> {
    let stem = path.file_stem().and_then(|stem| stem.to_str()).expect("a name");
    let text = std::fs::read_to_string(path).expect("a file of cases");
    let mut parts = text.split("\n; == ");
    let template = parts.next().and_then(|line| line.trim().strip_prefix("; template ")).expect("a template");
    let template = path.with_file_name(format!("{template}.template"));
    let template = std::fs::read_to_string(template).expect("the template");
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
                assert!(template.contains(&format!("@{name}")), "{stem}: {heading}: no place @{name}");
            }
            let (title, remarks) = remarks(heading);
            let mut case =
                Case { name: format!("{stem}: {title}"), text: module, minor: 4, is_object: false, differs: false };
            for remark in remarks {
                match remark {
                    "object" => case.is_object = true,
                    _ if remark.starts_with("1.") => case.minor = remark[2..].parse().expect("a version"),
                    _ if remark.starts_with("spirv-val differs: ") => case.differs = true,
                    _ => panic!("{}: the remark ({remark}) means nothing", case.name),
                }
            }
            case
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
fn found(case: &Case, words: &[u32], lines: &[(String, Option<String>)]) -> (Vec<(String, String)>, bool) {
    let line = |offset| line_at(words, lines, offset);
    let caps = DeviceCaps::example();
    let violations = match decode(words) {
        Ok(module) if module.constants.iter().any(|constant| constant.spec) => {
            validate_specialised(module, &HashMap::new(), &caps).map(|object| object.warnings().to_vec())
        }
        Ok(module) if case.is_object => validate_object(module, &caps).map(|object| object.warnings().to_vec()),
        Ok(module) => validate(module, &caps).map(|module| module.warnings().to_vec()),
        Err(error) => Err(vec![Violation::from(&error)]),
    };
    match violations {
        Ok(warnings) => {
            let warnings = warnings.iter();
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

fn spirv_val_accepts(case: &Case, bytes: &[u8], number: usize) -> bool {
    let path = std::env::temp_dir().join(format!("oxicl-case-{}-{number}.spv", std::process::id()));
    std::fs::write(&path, bytes).expect("a file");
    let target = format!("spv1.{}", case.minor);
    let output = std::process::Command::new("spirv-val").args(["--target-env", &target]).arg(&path).output();
    std::fs::remove_file(&path).expect("the file is there");
    output.expect("spirv-val of spirv-tools is installed").status.success()
}

/// What is wrong with our verdict on a case, and the rules that it breaks.
fn judge(case: &Case, number: usize) -> (Vec<String>, Vec<String>) {
    let lines = instruction_lines(&case.text);
    let mut expected: Vec<(String, String)> =
        lines.iter().filter_map(|(line, rule)| Some((line.clone(), rule.clone()?))).collect();
    let rules = expected.iter().map(|(_, rule)| rule.clone()).collect();
    let bytes = match assemble_as(&case.text, case.minor) {
        Ok(bytes) => bytes,
        Err(message) => return (vec![message], rules),
    };
    let words = words_from_bytes(&bytes).expect("words");
    assert_eq!(raw_instructions(&words).count(), lines.len(), "{}: a line is an instruction", case.name);
    let mut failures = Vec::new();
    let (mut found, is_valid) = found(case, &words, &lines);
    let should_be_valid = !case.text.contains("; expect:");
    let by_line = |(line, _): &(String, String)| lines.iter().position(|(other, _)| other == line);
    found.sort_by_key(by_line);
    expected.sort_by_key(by_line);
    if found != expected || is_valid != should_be_valid {
        failures.push(format!("\n  expected {expected:?}\n  found    {found:?}"));
    }
    if spirv_val_accepts(case, &bytes, number) != (should_be_valid != case.differs) {
        failures.push("spirv-val judges otherwise".to_owned());
    }
    (failures, rules)
}

/// [`judge`] of each case, on all processors: most of the time goes to the processes of SPIR-V's tools.
fn judge_all(cases: &[Case]) -> Vec<(Vec<String>, Vec<String>)> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let share = cases.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let shares: Vec<_> = cases
            .chunks(share)
            .enumerate()
            .map(|(number, cases)| {
                let first = number * share;
                let judge_share = move || {
                    let judged = cases.iter().enumerate().map(|(number, case)| judge(case, first + number));
                    judged.collect::<Vec<_>>()
                };
                scope.spawn(judge_share)
            })
            .collect();
        shares.into_iter().flat_map(|share| share.join().expect("no panic")).collect()
    })
}

#[test]
fn each_case_breaks_the_rules_that_it_names() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let entries = std::fs::read_dir(folder).expect("cases").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|it| it == "spvasm")).collect();
    files.sort();
    let cases: Vec<Case> = files.iter().flat_map(|file| cases(file)).collect();
    let mut failures = Vec::new();
    let mut covered = Vec::new();
    for (case, (wrong, rules)) in cases.iter().zip(judge_all(&cases)) {
        failures.extend(wrong.into_iter().map(|wrong| format!("{}: {wrong}", case.name)));
        covered.extend(rules);
    }
    let invalid = cases.iter().filter(|case| case.text.contains("; expect:")).count();
    assert!(failures.is_empty(), "{} failures in {} cases:\n{}", failures.len(), cases.len(), failures.join("\n"));
    assert!(invalid >= INVALID_CASES, "{invalid} cases break a rule");
    // What assembly text cannot show is in words.rs.
    covered.extend(
        ["PhysicalLayout", "Specialisation", "UniversalLimit", "MemoryModelDeclared", "EnvironmentVersion"]
            .map(str::to_owned),
    );
    let all = Rule::ALL.iter().map(|rule| rule.name()).chain(Quirk::ALL.iter().map(|quirk| quirk.name()));
    let missing: Vec<_> = all.filter(|name| !covered.iter().any(|c| c == name)).collect();
    assert!(missing.is_empty(), "no case shows {missing:?}");
}
