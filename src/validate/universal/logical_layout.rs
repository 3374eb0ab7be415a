//! The order of a module's sections.

use oxicl_spirv::grammar::Op;
use oxicl_spirv::{RawInstruction, raw_instructions};

use crate::at::Subject;
use crate::rule::Rule;
use crate::violation::{Location, Report, fault};

/// Names of the sections, in order.
const SECTIONS: [&str; 11] = [
    "capabilities",
    "extensions",
    "imported instruction sets",
    "memory model",
    "entry points",
    "execution modes",
    "debug strings and sources",
    "debug names",
    "module-processed records",
    "annotations",
    "types, constants and variables",
];
const FUNCTIONS: usize = SECTIONS.len();

/// The section of an instruction; `None` for those that may stand in several.
fn section(op: Op) -> Option<usize> {
    Some(match op {
        Op::Capability => 0,
        Op::Extension => 1,
        Op::ExtInstImport => 2,
        Op::MemoryModel => 3,
        Op::EntryPoint => 4,
        Op::ExecutionMode | Op::ExecutionModeId => 5,
        Op::String | Op::SourceExtension | Op::Source | Op::SourceContinued => 6,
        Op::Name | Op::MemberName => 7,
        Op::ModuleProcessed => 8,
        Op::Decorate
        | Op::DecorateId
        | Op::DecorateString
        | Op::MemberDecorate
        | Op::MemberDecorateString
        | Op::GroupDecorate
        | Op::GroupMemberDecorate
        | Op::DecorationGroup => 9,
        // They stand before what names them; translators put them before the annotations.
        Op::AliasDomainDeclINTEL | Op::AliasScopeDeclINTEL | Op::AliasScopeListDeclINTEL => return None,
        Op::Line | Op::NoLine | Op::Nop | Op::ExtInst | Op::ExtInstWithForwardRefsKHR | Op::Undef | Op::Variable => {
            return None;
        }
        Op::Function => FUNCTIONS,
        _ => 10,
    })
}

/// Checks that no instruction comes after a later section has begun, and that declarations of functions precede
/// definitions.
pub(crate) fn check(subject: Subject<'_>, report: &mut Report) {
    let mut current = 0;
    for raw in raw_instructions(&subject.module.words) {
        let Some(op) = raw.op() else { continue };
        // In functions, decoding has seen to the order of what may stand there.
        let Some(section) = section(op) else { continue };
        if section == FUNCTIONS {
            break;
        }
        if section < current {
            let names = (SECTIONS.get(section), SECTIONS.get(current));
            let detail = match names {
                (Some(section), Some(current)) => format!("it belongs to the {section}, but follows {current}"),
                _ => "it belongs to an earlier section".to_owned(),
            };
            report.check(location(raw, op), fault(Rule::LogicalLayout, detail));
            if report.is_full() {
                return;
            }
        }
        current = current.max(section);
    }
    module_level_after_functions(subject, report);
}

fn location(raw: RawInstruction<'_>, op: Op) -> Location {
    Location { op: Some(op), result: None, offset: raw.offset }
}

/// Once functions begin, only functions follow.
fn module_level_after_functions(subject: Subject<'_>, report: &mut Report) {
    let Some(first) = subject.module.functions.first().map(|function| function.offset) else { return };
    let late_type = subject.module.type_offsets.iter().copied().find(|offset| *offset > first);
    let late_constant = subject.module.constants.iter().map(|constant| constant.offset).find(|offset| *offset > first);
    let late_variable = subject.module.globals.iter().map(|global| global.offset).find(|offset| *offset > first);
    let late_capability = subject.module.capabilities.iter().map(|(_, offset)| *offset).find(|offset| *offset > first);
    let late_entry = subject.module.entry_points.iter().map(|entry| entry.offset).find(|offset| *offset > first);
    for offset in [late_type, late_constant, late_variable, late_capability, late_entry].into_iter().flatten() {
        let op = subject.module.words.get(offset as usize).and_then(|word| Op::from_u32(word & 0xffff));
        let location = Location { op, result: None, offset };
        report.check(location, fault(Rule::LogicalLayout, "it stands after a function"));
    }
}
