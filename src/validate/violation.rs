//! Broken rules and where they are broken.

use std::collections::HashSet;
use std::fmt;

use oxicl_protocol::{Diagnostic, Severity};
use oxicl_spirv::grammar::Op;
use oxicl_spirv::{Id, op_name};

use crate::rule::Rule;

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
}

impl Violation {
    /// The build log's form.
    pub fn to_diagnostic(&self) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            message: self.detail.clone(),
            instruction: self.location.op.map(op_name),
            id: self.location.result.map(Id::number),
            word_offset: Some(self.location.offset),
            rule: Some(format!("{}: {}", self.rule.name(), self.rule.sentence())),
            section: Some(self.rule.section().to_owned()),
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_diagnostic().fmt(f)
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

/// The violations of a run, in the order found, at most [`MAX_VIOLATIONS`].
#[derive(Debug, Default)]
pub(crate) struct Report {
    violations: Vec<Violation>,
    seen: HashSet<u32>,
}

impl Report {
    /// Adds a violation; only the first of an instruction, since the others mostly follow from it.
    pub(crate) fn add(&mut self, location: Location, fault: Fault) {
        if self.violations.len() < MAX_VIOLATIONS && self.seen.insert(location.offset) {
            self.violations.push(Violation { rule: fault.rule, location, detail: fault.detail });
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

    /// What was found.
    pub(crate) fn into_violations(self) -> Vec<Violation> {
        self.violations
    }
}
