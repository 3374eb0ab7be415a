//! Holds what is written against what a case expects.

use std::borrow::Cow;

use filecheck::{Checker, CheckerBuilder, NO_VARIABLES};

use crate::case::{Case, Expectation, Kind};
use crate::machine::Output;

/// Lines of a text that are shown before and behind the place from which an expectation was looked for.
const SHOWN: (usize, usize) = (6, 24);

impl Output {
    pub fn text(&self, kind: Kind) -> &str {
        match kind {
            Kind::Plan => &self.plan,
            Kind::Ir => &self.ir,
            Kind::Assembly => &self.assembly,
        }
    }
}

/// Compares everything that is expected on a machine.
///
/// # Errors
/// The first line of each kind that does not hold: case, line, machine, and the place where it was looked for.
pub fn check(case: &Case, machine: &str, output: &Output) -> Result<(), String> {
    let wrong: Vec<_> =
        Kind::ALL.into_iter().filter_map(|kind| check_kind(case, machine, output, kind).err()).collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

fn check_kind(case: &Case, machine: &str, output: &Output, kind: Kind) -> Result<(), String> {
    let here = |e: &&Expectation| e.kind == kind && e.machines.contains(machine);
    let all: Vec<&Expectation> = case.expectations.iter().filter(here).collect();
    let text = output.text(kind);
    for expectation in &all {
        // What is no pattern is told of its line.
        if let Err(error) = checker(&[expectation]) {
            return Err(format!("{}: no pattern: {error}", place(case, expectation)));
        }
    }
    let matches = |some: &[&Expectation]| checker(some).and_then(|checker| checker.check(text, NO_VARIABLES));
    match matches(&all) {
        Ok(true) => return Ok(()),
        Ok(false) => {}
        Err(error) => return Err(format!("cases/{}: {machine}: {error}", case.name)),
    }
    // The shortest beginning of the list that does not hold says which line it is. What must not be there depends on the line
    // behind it, and comes with it.
    let ends = (1..=all.len()).filter(|end| *end == all.len() || all[*end - 1].directive != "not");
    let end = ends.into_iter().find(|end| !matches(&all[..*end]).unwrap_or(true)).unwrap_or(all.len());
    let first_not = all[..end - 1].iter().rposition(|e| e.directive != "not").map_or(0, |at| at + 1);
    let positive = (all[end - 1].directive != "not").then_some(all[end - 1]);
    let without: Vec<_> = all[..first_not].iter().copied().chain(positive).collect();
    let culprit = if !matches(&without).unwrap_or(false) {
        all[end - 1]
    } else {
        let nots = all[first_not..end].iter().filter(|e| e.directive == "not");
        let alone = |not: &&&Expectation| {
            let list: Vec<_> = all[..first_not].iter().copied().chain([**not]).chain(positive).collect();
            !matches(&list).unwrap_or(true)
        };
        nots.into_iter().find(alone).unwrap_or(&all[end - 1])
    };
    let is = if culprit.directive == "not" { "is" } else { "is not" };
    Err(format!(
        "{}: on {machine}, `{}` {is} in the {}:\n{}",
        place(case, culprit),
        culprit.shown,
        kind.text(),
        excerpt(&all[..end], text)
    ))
}

fn place(case: &Case, expectation: &Expectation) -> String {
    format!("cases/{}:{}", case.name, expectation.line)
}

fn checker(expectations: &[&Expectation]) -> filecheck::Result<Checker> {
    let mut builder = CheckerBuilder::new();
    for expectation in expectations {
        builder.directive(&format!("{}: {}", expectation.directive, expectation.pattern))?;
    }
    Ok(builder.finish())
}

/// The part of a text in which the last of some expectations was looked for.
fn excerpt(expectations: &[&Expectation], text: &str) -> String {
    let explained = checker(expectations).and_then(|checker| checker.explain(text, NO_VARIABLES));
    let explained = match &explained {
        Ok((_, explained)) => Cow::Borrowed(explained),
        Err(error) => Cow::Owned(error.to_string()),
    };
    let lines: Vec<&str> = explained.lines().collect();
    let at = lines.iter().rposition(|line| line.starts_with("Missed #")).unwrap_or(0);
    let from = at.saturating_sub(SHOWN.0);
    lines.iter().skip(from).take(SHOWN.0 + SHOWN.1).map(|line| format!("    {line}\n")).collect()
}
