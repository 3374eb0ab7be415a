//! Broken rules and where they are broken.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt;

use oxicl_protocol::{Diagnostic, Severity};
use oxicl_spirv::grammar::Op;
use oxicl_spirv::{DecodeError, Id, Module, Names, SourcePlace, Specialised, op_name, source_places};

use crate::quirk::Quirk;
use crate::rule::Rule;
use crate::words;

/// How many violations a run reports before it stops looking.
pub(crate) const MAX_VIOLATIONS: usize = 100;

/// Where a rule is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// The instruction, unless the module as a whole is at fault.
    pub op: Option<Op>,
    /// Its result id, if it has one.
    pub result: Option<Id>,
    /// Offset of its first word, in words.
    pub offset: u32,
}

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The rule.
    pub rule: Rule,
    /// Where.
    pub location: Location,
    /// What exactly, in one sentence.
    pub detail: String,
    /// The instruction in text, with names for ids.
    pub text: Option<String>,
    /// Its place in source code, if the module has debug information.
    pub source: Option<SourcePlace>,
}

/// Something that the specifications do not allow and this device accepts, since a producer that people use makes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// What kind, and why it is accepted.
    pub quirk: Quirk,
    /// Where.
    pub location: Location,
    /// What exactly, in one sentence.
    pub detail: String,
    /// The instruction in text, with names for ids.
    pub text: Option<String>,
    /// Its place in source code, if the module has debug information.
    pub source: Option<SourcePlace>,
}

impl Violation {
    /// The build log's form.
    pub fn to_diagnostic(&self) -> Diagnostic {
        Diagnostic {
            text: self.text.clone(),
            source: self.source.as_ref().map(SourcePlace::to_string),
            rule: Some(format!("{}: {}", self.rule.name(), self.rule.sentence())),
            section: Some(self.rule.section().to_owned()),
            ..self.location.diagnostic(Severity::Error, &self.detail)
        }
    }
}

impl Warning {
    /// The build log's form.
    pub fn to_diagnostic(&self) -> Diagnostic {
        Diagnostic {
            text: self.text.clone(),
            source: self.source.as_ref().map(SourcePlace::to_string),
            rule: Some(format!("{}: {}", self.quirk.name(), self.quirk.reason())),
            section: Some(self.quirk.section().to_owned()),
            ..self.location.diagnostic(Severity::Warning, &self.detail)
        }
    }
}

impl Location {
    fn diagnostic(&self, severity: Severity, message: &str) -> Diagnostic {
        Diagnostic {
            severity,
            instruction: self.op.map(op_name),
            id: self.result.map(Id::number),
            word_offset: Some(self.offset),
            ..Diagnostic::error(message)
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_diagnostic().fmt(f)
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_diagnostic().fmt(f)
    }
}

/// The error of a decoder as the broken rule that it is.
impl From<&DecodeError> for Violation {
    fn from(error: &DecodeError) -> Self {
        Violation {
            rule: words::rule(error),
            location: Location { op: None, result: None, offset: error.word_offset },
            detail: error.message.clone(),
            text: None,
            source: None,
        }
    }
}

/// A broken rule before its place is known.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) rule: Rule,
    pub(crate) detail: String,
}

/// The result of a check.
pub(crate) type Check<T = ()> = Result<T, Fault>;

/// A fault of `rule`.
pub(crate) fn fault<T>(rule: Rule, detail: impl Into<String>) -> Check<T> {
    Err(Fault { rule, detail: detail.into() })
}

/// A finding whose place is not put into words yet.
#[derive(Debug)]
struct Finding<Kind> {
    kind: Kind,
    location: Location,
    detail: String,
}

/// What a run found: at most [`MAX_VIOLATIONS`] violations, and as many warnings.
#[derive(Debug, Default)]
pub(crate) struct Report {
    violations: Vec<Finding<Rule>>,
    seen: HashSet<u32>,
}

/// The warnings of a run. Checks that know nothing of the report can add to it.
#[derive(Debug, Default)]
pub(crate) struct Warnings(RefCell<Vec<Finding<Quirk>>>);

impl Warnings {
    /// Adds a warning; only the first of its kind at an instruction.
    pub(crate) fn add(&self, quirk: Quirk, location: Location, detail: String) {
        let mut warnings = self.0.borrow_mut();
        let known = warnings.iter().any(|other| other.kind == quirk && other.location == location);
        if warnings.len() < MAX_VIOLATIONS && !known {
            warnings.push(Finding { kind: quirk, location, detail });
        }
    }

    /// The warnings in module order, in words.
    pub(crate) fn in_words(self, module: &Module, specialised: Option<&Specialised>) -> Vec<Warning> {
        let warning = |finding: Finding<Quirk>, detail, text, source| Warning {
            quirk: finding.kind,
            location: finding.location,
            detail,
            text,
            source,
        };
        in_words(module, specialised, self.0.into_inner(), warning)
    }
}

impl Report {
    /// Adds a violation; only the first of an instruction, since the others mostly follow from it.
    pub(crate) fn add(&mut self, location: Location, fault: Fault) {
        if self.violations.len() < MAX_VIOLATIONS && self.seen.insert(location.offset) {
            self.violations.push(Finding { kind: fault.rule, location, detail: fault.detail });
        }
    }

    /// Adds the fault of a check that failed.
    pub(crate) fn check(&mut self, location: Location, check: Check) {
        if let Err(fault) = check {
            self.add(location, fault);
        }
    }

    /// No more are taken.
    pub(crate) fn is_full(&self) -> bool {
        self.violations.len() >= MAX_VIOLATIONS
    }

    /// Nothing was found.
    pub(crate) fn is_empty(&self) -> bool {
        self.violations.is_empty()
    }

    /// The violations in module order, in words.
    pub(crate) fn in_words(self, module: &Module, specialised: Option<&Specialised>) -> Vec<Violation> {
        let violation = |finding: Finding<Rule>, detail, text, source| Violation {
            rule: finding.kind,
            location: finding.location,
            detail,
            text,
            source,
        };
        in_words(module, specialised, self.violations, violation)
    }
}

/// Findings sorted by place, each with its instruction in text and its place in source code. `module` is what `specialised`
/// was made of.
fn in_words<Kind, T>(
    module: &Module,
    specialised: Option<&Specialised>,
    mut findings: Vec<Finding<Kind>>,
    make: impl Fn(Finding<Kind>, String, Option<String>, Option<SourcePlace>) -> T,
) -> Vec<T> {
    if findings.is_empty() {
        return Vec::new();
    }
    if let Some(specialised) = specialised {
        findings.iter_mut().for_each(|finding| {
            finding.location.offset = specialised.origin(finding.location.offset);
        });
    }
    findings.sort_by_key(|finding| finding.location.offset);
    let offsets: Vec<u32> = findings.iter().map(|finding| finding.location.offset).collect();
    let names = Names::of(module);
    let with_places = findings.into_iter().zip(source_places(module, &offsets));
    with_places
        .map(|(finding, source)| {
            let detail = names.explain(&finding.detail);
            let text = finding.location.op.and_then(|_| names.instruction(finding.location.offset));
            make(finding, detail, text, source)
        })
        .collect()
}
