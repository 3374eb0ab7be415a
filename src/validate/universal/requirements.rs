//! Every instruction, and every enumerant and mask bit among the operands, has its capability, extension and version.

use std::collections::HashMap;

use oxicl_spirv::grammar::{Decoration, Op};
use oxicl_spirv::{EnumKind, RawInstruction, enumerants, instruction_requirement, op_name, raw_instructions};

use crate::at::Subject;
use crate::quirk::Quirk;
use crate::rule::Rule;
use crate::violation::{Check, Location, Report};

/// Checks all instructions.
pub(crate) fn check(subject: Subject<'_>, report: &mut Report) {
    let mut known = Known { subject, instructions: HashMap::new(), values: HashMap::new() };
    for raw in raw_instructions(&subject.module.words) {
        let Some(op) = raw.op() else { continue };
        let location = Location { op: Some(op), result: None, offset: raw.offset };
        match known.instruction(op) {
            Err(fault) if op == Op::DecorateId && fault.rule == Rule::VersionReached && is_aliasing(raw) => {
                subject.warnings.add(Quirk::DecorateIdVersion, location, fault.detail);
            }
            check => report.check(location, check),
        }
        report.check(location, known.operands(raw));
        if report.is_full() {
            return;
        }
    }
}

/// A decoration of an extension that asks for OpDecorateId, and has no other form.
fn is_aliasing(raw: RawInstruction<'_>) -> bool {
    let decoration = raw.words.get(2).copied().and_then(Decoration::from_u32);
    matches!(decoration, Some(Decoration::AliasScopeINTEL | Decoration::NoAliasINTEL))
}

/// What has been looked up; most instructions and operands come again and again.
struct Known<'m> {
    subject: Subject<'m>,
    instructions: HashMap<Op, Check>,
    values: HashMap<(EnumKind, u32), Check>,
}

impl Known<'_> {
    fn instruction(&mut self, op: Op) -> Check {
        let declared = self.subject.declared;
        self.instructions
            .entry(op)
            .or_insert_with(|| declared.meets(&instruction_requirement(op), &op_name(op)))
            .clone()
    }

    fn operands(&mut self, raw: RawInstruction<'_>) -> Check {
        let mut check = Ok(());
        enumerants(self.subject.module, raw, |kind, word| {
            if check.is_ok() {
                check = self.value(kind, word);
            }
        });
        check
    }

    fn value(&mut self, kind: EnumKind, word: u32) -> Check {
        let declared = self.subject.declared;
        let known = self.values.entry((kind, word));
        known
            .or_insert_with(|| {
                if !kind.is_mask() {
                    return needs(declared, kind, word);
                }
                let bits = (0..u32::BITS).map(|bit| 1 << bit).filter(|bit| word & bit != 0);
                bits.into_iter().try_for_each(|bit| needs(declared, kind, bit))
            })
            .clone()
    }
}

/// What a value needs is there; unknown values are for others to refuse.
fn needs(declared: &super::capabilities::Declared, kind: EnumKind, word: u32) -> Check {
    match kind.requirement(word) {
        Some(requirement) => declared.meets(&requirement, &kind.name(word)),
        None => Ok(()),
    }
}
