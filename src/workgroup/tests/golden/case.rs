//! A case: the scalar IR of a kernel, with what is expected of it in its comments.
//!
//! ```text
//! ; One sentence: what the case holds.
//! ; WITH: lanes=8 group=64x1x1 sub-group=16      what the kernel asks for, if anything
//! ; WITH: disable=streams,gangs                  decisions that are left out
//! ; ON: V3 V4                                    the machines, if not all
//! ; PLAN: gangs of 8                             in the plans, as `--dump plan` has them
//! ; PLAN-V4: %x = load float, $(=.*), contiguous
//! ; CHECK-V3-V4: @llvm.masked.load               in the IR, on those machines
//! ; CHECK-V4-NEXT: fadd                          in the line below
//! ; ASM-V4-NOT: vpgather                         in the machine code
//! ```
//!
//! Patterns are those of the crate `filecheck`: text, with `$(name=regex)`, `$name`, `$(=regex)` and `$$`. Lines of one kind are
//! looked for one behind the other; `-NEXT`, `-SAME`, `-NOT` and `-UNORDERED` stand for its other directives.
//!
//! `; BEGIN PLAN`, `; BEGIN PLAN-V4: FIRST | LAST`, the same with `CHECK` or `ASM`, and `; END`, have lines between them that are
//! made of what is written: all of the plan, or from the line with the one text to that with the other.
//!
//! `; REPEAT` is for kernels that are past a bound (`repeated.rs`).

use std::collections::BTreeSet;

use oxicl_protocol::Switches;

use crate::machine::{MACHINES, Machine};
use crate::repeated::written_out;

/// What an expectation is looked for in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Plan,
    Ir,
    Assembly,
}

impl Kind {
    pub const ALL: [Kind; 3] = [Kind::Plan, Kind::Ir, Kind::Assembly];

    pub fn word(self) -> &'static str {
        match self {
            Kind::Plan => "PLAN",
            Kind::Ir => "CHECK",
            Kind::Assembly => "ASM",
        }
    }

    /// What the text is that it is looked for in.
    pub fn text(self) -> &'static str {
        match self {
            Kind::Plan => "plan",
            Kind::Ir => "IR",
            Kind::Assembly => "machine code",
        }
    }
}

/// What a case's kernel asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct With {
    /// Lanes that the build asks for, 0 if it leaves them open.
    pub lanes: u32,
    pub group: Option<[u32; 3]>,
    pub sub_group: Option<u32>,
    /// Decisions that are left out.
    pub switches: Switches,
}

/// A line that has to be, or not to be, in what is written.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// Its line in the case, from 1.
    pub line: usize,
    pub kind: Kind,
    /// Names of the machines that it is for.
    pub machines: BTreeSet<&'static str>,
    /// The directive of `filecheck`.
    pub directive: &'static str,
    pub pattern: String,
    /// As the case has it.
    pub shown: String,
}

/// Lines that are made of what is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The lines of `BEGIN` and `END`, from 1.
    pub lines: (usize, usize),
    pub kind: Kind,
    /// The machine of a part of anything else; a plan is everybody's.
    pub machine: Option<&'static str>,
    /// Texts that its first and its last line have.
    pub first: String,
    pub last: String,
}

/// A case.
#[derive(Clone, Debug)]
pub struct Case {
    pub name: String,
    /// As the file has it.
    pub text: String,
    /// The IR that is built.
    pub ir: String,
    pub with: With,
    pub machines: BTreeSet<&'static str>,
    pub expectations: Vec<Expectation>,
    pub parts: Vec<Part>,
}

/// The directive of `filecheck` that a word stands for.
const MODES: [(&str, &str); 4] = [("NEXT", "nextln"), ("SAME", "sameln"), ("NOT", "not"), ("UNORDERED", "unordered")];

impl Case {
    /// Reads a case.
    ///
    /// # Errors
    /// A line that is none of those above, or no sentence in front, or a machine of which nothing is expected.
    pub fn parse(name: &str, text: &str) -> Result<Case, String> {
        let ir = written_out(text).map_err(|(line, what)| format!("cases/{name}:{line}: {what}"))?;
        let mut case = Case {
            name: name.to_owned(),
            text: text.to_owned(),
            ir,
            with: With::default(),
            machines: MACHINES.iter().filter(|machine| machine.is_usual).map(|machine| machine.name).collect(),
            expectations: Vec::new(),
            parts: Vec::new(),
        };
        let sentence = text.lines().next().and_then(|line| line.strip_prefix("; "));
        if sentence.is_none_or(|sentence| header(sentence).is_some()) {
            return Err(format!("cases/{name}:1: no sentence says what the case holds"));
        }
        let mut open = None;
        for (number, line) in (1..).zip(text.lines()) {
            let wrong = |what: &str| format!("cases/{name}:{number}: {what}: {line}");
            let Some(comment) = line.strip_prefix("; ") else { continue };
            if let Some(part) = comment.strip_prefix("BEGIN ") {
                open = Some(begin(part, number).ok_or_else(|| wrong("no part that could be made"))?);
            } else if comment == "END" {
                let mut part: Part = open.take().ok_or_else(|| wrong("nothing was begun"))?;
                part.lines.1 = number;
                case.parts.push(part);
            } else if let Some((words, rest)) = header(comment) {
                case.line(words, rest, number).ok_or_else(|| wrong("nothing that could be expected"))?;
            }
        }
        if let Some(part) = open {
            return Err(format!("cases/{name}:{}: what begins does not end", part.lines.0));
        }
        let expects = |machine: &&str| case.expectations.iter().any(|e| e.machines.contains(machine));
        let idle: Vec<_> = case.machines.iter().copied().filter(|machine| !expects(machine)).collect();
        let is_made = case.parts.iter().any(|part| part.kind == Kind::Plan);
        if !idle.is_empty() && !is_made {
            return Err(format!("cases/{name}: nothing is expected on {}", idle.join(", ")));
        }
        Ok(case)
    }

    /// Takes a line, if it is one.
    fn line(&mut self, words: &str, rest: &str, line: usize) -> Option<()> {
        match words {
            "WITH" => self.with = with(rest)?,
            "ON" => self.machines = rest.split_whitespace().map(machine).collect::<Option<_>>()?,
            _ => {
                let (kind, mut machines, mode) = expected(words)?;
                if machines.is_empty() {
                    machines.clone_from(&self.machines);
                }
                let directive = mode.unwrap_or("check");
                let shown = format!("{words}: {rest}");
                let pattern = rest.to_owned();
                self.expectations.push(Expectation { line, kind, machines, directive, pattern, shown });
            }
        }
        Some(())
    }

    /// The machines that it is built for.
    pub fn machines(&self) -> impl Iterator<Item = &'static Machine> {
        MACHINES.iter().filter(|machine| self.machines.contains(machine.name))
    }

    /// The case with nothing of a kind expected on a machine.
    pub fn without(&self, kind: Kind, machine: &str) -> Case {
        let mut case = self.clone();
        for expectation in case.expectations.iter_mut().filter(|e| e.kind == kind) {
            expectation.machines.remove(machine);
        }
        case.parts.retain(|part| part.kind != kind || part.machine != Some(machine));
        case
    }

    /// Whether anything of a kind is expected on a machine, or made of it.
    pub fn looks_at(&self, kind: Kind, machine: &str) -> bool {
        let part = |part: &Part| part.kind == kind && part.machine == Some(machine);
        let expectation = |e: &Expectation| e.kind == kind && e.machines.contains(machine);
        self.parts.iter().any(part) || self.expectations.iter().any(expectation)
    }
}

/// The words in capitals in front of a colon, and what is behind it.
fn header(comment: &str) -> Option<(&str, &str)> {
    let (words, rest) = comment.split_once(':')?;
    let is_word = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '-';
    (words.len() > 1 && words.chars().all(is_word)).then_some((words, rest.trim()))
}

/// The name of a machine.
fn machine(name: &str) -> Option<&'static str> {
    MACHINES.iter().map(|machine| machine.name).find(|other| *other == name)
}

/// The kind, the machines and the directive that `CHECK-V3-NEXT` says.
fn expected(words: &str) -> Option<(Kind, BTreeSet<&'static str>, Option<&'static str>)> {
    let mut words = words.split('-');
    let word = words.next()?;
    let kind = Kind::ALL.into_iter().find(|kind| kind.word() == word)?;
    let (mut machines, mut mode) = (BTreeSet::new(), None);
    for word in words {
        match machine(word) {
            Some(machine) if mode.is_none() => _ = machines.insert(machine),
            Some(_) => return None,
            None => mode = Some(MODES.iter().find(|(name, _)| *name == word)?.1),
        }
    }
    Some((kind, machines, mode))
}

/// What follows `BEGIN`.
fn begin(text: &str, line: usize) -> Option<Part> {
    let (words, range) = text.split_once(": ").unwrap_or((text, ""));
    let (kind, machines, None) = expected(words)? else { return None };
    let (first, last) = range.split_once(" | ").unwrap_or_default();
    let machine = machines.first().copied();
    let is_whole = kind == Kind::Plan && machine.is_none() && range.is_empty();
    let is_range = machines.len() == 1 && !first.is_empty() && !last.is_empty();
    let (first, last) = (first.to_owned(), last.to_owned());
    (is_whole || is_range).then_some(Part { lines: (line, line), kind, machine, first, last })
}

fn with(text: &str) -> Option<With> {
    let mut with = With::default();
    for word in text.split_whitespace() {
        let (name, value) = word.split_once('=')?;
        match name {
            "lanes" => with.lanes = value.parse().ok()?,
            "sub-group" => with.sub_group = Some(value.parse().ok()?),
            "disable" if with.switches.disable(value).is_empty() => {}
            "group" => {
                let sizes: Vec<u32> = value.split('x').map(|size| size.parse().ok()).collect::<Option<_>>()?;
                with.group = Some(sizes.try_into().ok()?);
            }
            _ => return None,
        }
    }
    Some(with)
}
