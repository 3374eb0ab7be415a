//! The order of a module's sections, and what may stand in functions.

use oxicl_spirv::grammar::Op;
use oxicl_spirv::{InstructionSet, RawInstruction, op_name, raw_instructions};

use crate::at::Subject;
use crate::rule::Rule;
use crate::violation::{Check, Location, Report, fault};

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

/// The section of types, constants and variables, which is the last before functions.
const TYPES: usize = SECTIONS.len() - 1;

/// Where an instruction belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// The section of this number, and nowhere else.
    Section(usize),
    /// The last section, or a function.
    TypesOrFunction,
    /// Anywhere.
    Anywhere,
    /// A function.
    Function,
}

fn place(subject: Subject<'_>, op: Op, raw: RawInstruction<'_>) -> Place {
    match op {
        Op::Capability => Place::Section(0),
        Op::Extension | Op::ConditionalExtensionINTEL => Place::Section(1),
        Op::ExtInstImport => Place::Section(2),
        Op::MemoryModel => Place::Section(3),
        Op::EntryPoint | Op::ConditionalEntryPointINTEL => Place::Section(4),
        Op::ExecutionMode | Op::ExecutionModeId => Place::Section(5),
        Op::String | Op::SourceExtension | Op::Source | Op::SourceContinued => Place::Section(6),
        Op::Name | Op::MemberName => Place::Section(7),
        Op::ModuleProcessed => Place::Section(8),
        Op::Decorate
        | Op::DecorateId
        | Op::DecorateString
        | Op::MemberDecorate
        | Op::MemberDecorateString
        | Op::GroupDecorate
        | Op::GroupMemberDecorate
        | Op::DecorationGroup
        // They are made for decorations and memory operands to name.
        | Op::AliasDomainDeclINTEL
        | Op::AliasScopeDeclINTEL
        | Op::AliasScopeListDeclINTEL => Place::Section(9),
        Op::Nop => Place::Anywhere,
        Op::Line | Op::NoLine | Op::Undef | Op::Variable | Op::ExtInstWithForwardRefsKHR => Place::TypesOrFunction,
        Op::ExtInst if !is_computation(subject, raw) => Place::TypesOrFunction,
        _ if oxicl_spirv::is_type_declaration(op) || oxicl_spirv::is_constant(op) => Place::Section(TYPES),
        Op::TypeForwardPointer => Place::Section(TYPES),
        _ => Place::Function,
    }
}

/// OpExtInst that computes something, and so stands in blocks only.
fn is_computation(subject: Subject<'_>, raw: RawInstruction<'_>) -> bool {
    let set = raw.words.get(3).copied().and_then(std::num::NonZeroU32::new).map(oxicl_spirv::Id);
    let set = set.and_then(|set| subject.module.instruction_sets.get(&set));
    !set.is_some_and(|(set, _)| matches!(set, InstructionSet::OpenClDebugInfo100 | InstructionSet::NonSemantic(_)))
}

/// Checks that no instruction comes after a later section has begun, and that functions that are declared only precede
/// those with a body.
pub(crate) fn check(subject: Subject<'_>, report: &mut Report) {
    let mut walk = Walk { section: 0, in_function: false, functions: false, last: None };
    for raw in raw_instructions(&subject.module.words) {
        let Some(op) = raw.op() else { continue };
        let place = place(subject, op, raw);
        report.check(Location { op: Some(op), result: None, offset: raw.offset }, walk.step(op, place));
        if report.is_full() {
            return;
        }
    }
    declarations_first(subject, report);
}

/// What has been seen so far.
struct Walk {
    section: usize,
    in_function: bool,
    functions: bool,
    last: Option<Op>,
}

impl Walk {
    fn step(&mut self, op: Op, place: Place) -> Check {
        let last = self.last.replace(op);
        if op == Op::SourceContinued && !matches!(last, Some(Op::Source | Op::SourceContinued)) {
            return fault(Rule::LogicalLayout, "OpSourceContinued does not follow a source that it continues");
        }
        match op {
            Op::Function => (self.in_function, self.functions) = (true, true),
            Op::FunctionEnd => self.in_function = false,
            _ => {}
        }
        match place {
            Place::Section(_) if self.in_function => {
                fault(Rule::LogicalLayout, format!("{} stands in a function", op_name(op)))
            }
            Place::Section(section) => self.in_section(section),
            Place::TypesOrFunction if !self.in_function => {
                if op == Op::Variable || op == Op::Undef {
                    return self.in_section(TYPES);
                }
                self.section = self.section.max(TYPES);
                Ok(())
            }
            Place::Function if !self.in_function && op != Op::FunctionEnd => {
                fault(Rule::LogicalLayout, format!("{} stands outside a function", op_name(op)))
            }
            _ => Ok(()),
        }
    }

    fn in_section(&mut self, section: usize) -> Check {
        let name = |section: usize| SECTIONS.get(section).copied().unwrap_or("functions");
        if self.functions {
            return fault(Rule::LogicalLayout, format!("it belongs to the {}, but follows a function", name(section)));
        }
        if section < self.section {
            let (own, other) = (name(section), name(self.section));
            return fault(Rule::LogicalLayout, format!("it belongs to the {own}, but follows {other}"));
        }
        self.section = section;
        Ok(())
    }
}

/// Functions that are declared only precede those with a body.
fn declarations_first(subject: Subject<'_>, report: &mut Report) {
    let functions = &subject.module.functions;
    let Some(first_body) = functions.iter().position(|function| !function.blocks.is_empty()) else { return };
    for function in functions.iter().skip(first_body).filter(|function| function.blocks.is_empty()) {
        let location = Location { op: Some(Op::Function), result: Some(function.id), offset: function.offset };
        let detail = format!("the function {} has no body, but follows one that has", function.id);
        report.check(location, fault(Rule::LogicalLayout, detail));
    }
}
