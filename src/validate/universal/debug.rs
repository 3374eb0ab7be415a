//! Debug Instructions: what names, lines and sources are about, and the text of strings.

use std::num::NonZeroU32;

use oxicl_spirv::grammar::Op;
use oxicl_spirv::{Def, Id, RawInstruction, Type, raw_instructions, string_bytes};

use crate::at::Subject;
use crate::rule::Rule;
use crate::violation::{Check, Location, Report, fault};

/// The longest literal string, in characters.
const MAX_CHARACTERS: usize = 65_535;

/// Checks names, lines and sources, and all literal strings.
pub(crate) fn check(subject: Subject<'_>, report: &mut Report) {
    for raw in raw_instructions(&subject.module.words) {
        let Some(op) = raw.op() else { continue };
        let location = Location { op: Some(op), result: None, offset: raw.offset };
        if let Some(first) = first_string(op, raw) {
            report.check(location, text(raw.words.get(first..).unwrap_or_default()));
        }
        match op {
            Op::Name => report.check(location, defined(subject, raw, 1).map(|_| ())),
            Op::MemberName => report.check(location, member_name(subject, raw)),
            Op::Line => report.check(location, file(subject, raw, 1)),
            Op::Source if raw.words.len() > 3 => report.check(location, file(subject, raw, 3)),
            _ => {}
        }
        if report.is_full() {
            return;
        }
    }
}

/// The word at which an instruction's literal string begins.
fn first_string(op: Op, raw: RawInstruction<'_>) -> Option<usize> {
    match op {
        Op::SourceContinued | Op::SourceExtension | Op::Extension | Op::ModuleProcessed => Some(1),
        Op::Name | Op::String | Op::ExtInstImport | Op::TypeOpaque => Some(2),
        Op::MemberName | Op::EntryPoint => Some(3),
        Op::Source if raw.words.len() > 4 => Some(4),
        _ => None,
    }
}

/// The string at the start of `words` is UTF-8, and not too long.
fn text(words: &[u32]) -> Check {
    let bytes = string_bytes(words).unwrap_or_default();
    match std::str::from_utf8(&bytes) {
        // Most strings are too short in bytes already to be too long in characters.
        Ok(text) if bytes.len() <= MAX_CHARACTERS || text.chars().count() <= MAX_CHARACTERS => Ok(()),
        Ok(_) => fault(Rule::UniversalLimit, format!("a string has more than {MAX_CHARACTERS} characters")),
        Err(error) => fault(Rule::LiteralString, format!("byte {} of a string is no UTF-8", error.valid_up_to())),
    }
}

/// The id that is word `index`, and what it stands for, which is something.
fn defined(subject: Subject<'_>, raw: RawInstruction<'_>, index: usize) -> Check<(Id, Def)> {
    let Some(id) = raw.words.get(index).copied().and_then(NonZeroU32::new).map(Id) else {
        return fault(Rule::Grammar, "an id is missing");
    };
    match subject.module.def(id) {
        Def::None => fault(Rule::IdDefined, format!("{id} is not defined")),
        def => Ok((id, def)),
    }
}

fn member_name(subject: Subject<'_>, raw: RawInstruction<'_>) -> Check {
    let (id, def) = defined(subject, raw, 1)?;
    let members = match def {
        Def::Type(ty) => match subject.declaration(ty) {
            Some(Type::Struct { members }) => members.len(),
            _ => return fault(Rule::DebugInstruction, format!("{id} has no members to name")),
        },
        _ => return fault(Rule::DebugInstruction, format!("{id} is no structure with members to name")),
    };
    match raw.words.get(2) {
        Some(member) if (*member as usize) < members => Ok(()),
        _ => fault(Rule::DebugInstruction, format!("{id} has {members} members, and not the one that is named")),
    }
}

/// The id that is word `index` names an OpString.
fn file(subject: Subject<'_>, raw: RawInstruction<'_>, index: usize) -> Check {
    match defined(subject, raw, index)? {
        (_, Def::String) => Ok(()),
        (id, _) => fault(Rule::DebugInstruction, format!("the file {id} is no OpString")),
    }
}
