//! Annotation Instructions: targets and parameters of decorations that mean something to a kernel.

use std::collections::HashSet;

use oxicl_spirv::grammar::{Decoration as Kind, Op};
use oxicl_spirv::{Decoration, Def, Id, Type, TypeRef};

use super::aliasing;
use crate::at::Subject;
use crate::opencl::decorations;
use crate::quirk::Quirk;
use crate::rule::Rule;
use crate::violation::{Check, Location, Report, fault};

/// Checks all decorations.
pub(crate) fn check(subject: Subject<'_>, report: &mut Report) {
    // Reports come in module order, which the map does not have.
    let mut all: Vec<(Id, &Decoration)> = subject
        .module
        .decorations
        .iter()
        .flat_map(|(target, decorations)| decorations.iter().map(|decoration| (*target, decoration)))
        .collect();
    all.sort_by_key(|(target, decoration)| (decoration.offset, target.number()));
    let mut seen = HashSet::new();
    for (target, decoration) in all {
        let op = subject.module.words.get(decoration.offset as usize).and_then(|word| Op::from_u32(word & 0xffff));
        let location = Location { op, result: None, offset: decoration.offset };
        report.check(location, annotation(subject, target, decoration));
        if let (Kind::Alignment, Some(align)) = (decoration.decoration, decoration.operands.first())
            && !align.is_power_of_two()
        {
            let detail = format!("{target} has an alignment of {align} bytes");
            subject.warnings.add(Quirk::AlignmentNotPowerOfTwo, location, detail);
        }
        let kind = decoration.decoration;
        if !may_repeat(kind) && !seen.insert((target, decoration.member, kind)) {
            report.check(location, fault(Rule::DecorationRepeated, format!("{target} is decorated twice as {kind:?}")));
        }
        if report.is_full() {
            return;
        }
    }
}

/// Decorations that may stand on one target more than once; vendors' own are left to them.
fn may_repeat(kind: Kind) -> bool {
    matches!(kind, Kind::FuncParamAttr | Kind::UserSemantic) || kind as u32 >= 5000
}

fn annotation(subject: Subject<'_>, target: Id, decoration: &Decoration) -> Check {
    let kind = decoration.decoration;
    if subject.module.def(target) == Def::None {
        return fault(Rule::IdDefined, format!("{kind:?} decorates {target}, which is not defined"));
    }
    if let Some(member) = decoration.member {
        let members = match subject.module.type_ref(target).and_then(|ty: TypeRef| subject.declaration(ty)) {
            Some(Type::Struct { members }) => members.len(),
            _ => return fault(Rule::DecorationMember, format!("{target} has no members to decorate")),
        };
        if member as usize >= members {
            return fault(Rule::DecorationMember, format!("{target} has {members} members, no number {member}"));
        }
        if kind == Kind::Alignment {
            return fault(Rule::DecorationTarget, "an alignment is for pointers, not for members of structures");
        }
        return decorations::member(decoration);
    }
    if subject.module.def(target) == Def::DecorationGroup {
        return Ok(());
    }
    if aliasing::is_aliasing(kind) {
        return aliasing::decoration(subject, target, decoration);
    }
    decorations::check(subject, target, decoration)
}
