//! Annotation Instructions: what decorations stand on, in which instruction, how often, and in which groups.

use std::collections::HashMap;
use std::num::NonZeroU32;

use oxicl_spirv::grammar::{Decoration as Kind, Op};
use oxicl_spirv::{Decoration, Def, Id, RawInstruction, Type, TypeRef, decoration_takes, op_name, raw_instructions};

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
    let mut seen = HashMap::new();
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
        report.check(location, once(&mut seen, target, decoration));
        if report.is_full() {
            return;
        }
    }
    for raw in raw_instructions(&subject.module.words) {
        let Some(op) = raw.op() else { continue };
        let location = Location { op: Some(op), result: None, offset: raw.offset };
        match op {
            Op::Decorate | Op::DecorateId | Op::DecorateString => report.check(location, form(op, raw.words.get(2))),
            Op::MemberDecorate | Op::MemberDecorateString => report.check(location, form(op, raw.words.get(3))),
            Op::GroupDecorate => report.check(location, grouped(subject, raw, 1)),
            Op::GroupMemberDecorate => report.check(location, grouped(subject, raw, 2)),
            // Annotations are over.
            Op::Function => return,
            _ => {}
        }
    }
}

/// Decorations seen, with their operands, by target, member and kind.
type Seen<'m> = HashMap<(Id, Option<u32>, Kind), &'m Decoration>;

/// No decoration stands twice on one target, nor with one that says the contrary.
fn once<'m>(seen: &mut Seen<'m>, target: Id, decoration: &'m Decoration) -> Check {
    let kind = decoration.decoration;
    let contrary = match kind {
        Kind::Restrict => Some(Kind::Aliased),
        Kind::Aliased => Some(Kind::Restrict),
        _ => None,
    };
    if let Some(contrary) = contrary.filter(|contrary| seen.contains_key(&(target, decoration.member, *contrary))) {
        return fault(Rule::DecorationConflict, format!("{target} is decorated as {kind:?} and as {contrary:?}"));
    }
    match seen.insert((target, decoration.member, kind), decoration) {
        Some(former) if !may_repeat(kind) => {
            let how = if former.operands == decoration.operands { "twice" } else { "in two ways" };
            fault(Rule::DecorationRepeated, format!("{target} is decorated {how} as {kind:?}"))
        }
        _ => Ok(()),
    }
}

/// Decorations whose parameters are ids stand in OpDecorateId, those with strings alone may stand in OpDecorateString, the
/// rest in OpDecorate.
fn form(op: Op, kind: Option<&u32>) -> Check {
    let Some(kind) = kind.copied().and_then(Kind::from_u32) else { return Ok(()) };
    let takes = decoration_takes(kind);
    let fits = match op {
        Op::DecorateId => takes.ids,
        Op::DecorateString | Op::MemberDecorateString => takes.strings,
        _ => !takes.ids,
    };
    if fits { Ok(()) } else { fault(Rule::DecorationForm, format!("{} cannot decorate as {kind:?}", op_name(op))) }
}

/// The targets of a group, each `step` words apart, are there, and are no groups themselves.
fn grouped(subject: Subject<'_>, raw: RawInstruction<'_>, step: usize) -> Check {
    for words in raw.words.get(2..).unwrap_or_default().chunks(step) {
        let Some(target) = words.first().copied().and_then(NonZeroU32::new).map(Id) else { continue };
        match (subject.module.def(target), words.get(1)) {
            (Def::None, _) => {
                return fault(Rule::IdDefined, format!("the group is for {target}, which is not defined"));
            }
            (Def::DecorationGroup, _) => {
                return fault(Rule::DecorationGroup, format!("the group is for {target}, which is a group itself"));
            }
            (_, Some(member)) => member_of(subject, target, *member)?,
            _ => {}
        }
    }
    Ok(())
}

/// `target` is a structure that has `member`.
fn member_of(subject: Subject<'_>, target: Id, member: u32) -> Check {
    let members = match subject.module.type_ref(target).and_then(|ty: TypeRef| subject.declaration(ty)) {
        Some(Type::Struct { members }) => members.len(),
        _ => return fault(Rule::DecorationMember, format!("{target} has no members to decorate")),
    };
    if member as usize >= members {
        return fault(Rule::DecorationMember, format!("{target} has {members} members, no number {member}"));
    }
    Ok(())
}

/// Decorations that are of objects or of whole types, not of members.
fn is_of_wholes(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::SpecId
            | Kind::Block
            | Kind::BufferBlock
            | Kind::ArrayStride
            | Kind::GLSLShared
            | Kind::GLSLPacked
            | Kind::CPacked
            | Kind::Aliased
            | Kind::Constant
            | Kind::Uniform
            | Kind::UniformId
            | Kind::SaturatedConversion
            | Kind::Index
            | Kind::Binding
            | Kind::DescriptorSet
            | Kind::FuncParamAttr
            | Kind::FPRoundingMode
            | Kind::FPFastMathMode
            | Kind::LinkageAttributes
            | Kind::NoContraction
            | Kind::InputAttachmentIndex
            | Kind::Alignment
            | Kind::MaxByteOffset
            | Kind::AlignmentId
            | Kind::MaxByteOffsetId
            | Kind::NoSignedWrap
            | Kind::NoUnsignedWrap
            | Kind::NonUniform
            | Kind::RestrictPointer
            | Kind::AliasedPointer
            | Kind::CounterBuffer
    )
}

/// Decorations that are of members only.
fn is_of_members(kind: Kind) -> bool {
    matches!(kind, Kind::RowMajor | Kind::ColMajor | Kind::MatrixStride | Kind::Offset)
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
        member_of(subject, target, member)?;
        if is_of_wholes(kind) {
            return fault(Rule::DecorationMember, format!("{kind:?} is no decoration of members"));
        }
        return decorations::member(decoration);
    }
    if is_of_members(kind) && subject.module.def(target) != Def::DecorationGroup {
        return fault(Rule::DecorationMember, format!("{kind:?} is a decoration of members only"));
    }
    if subject.module.def(target) == Def::DecorationGroup {
        return Ok(());
    }
    if aliasing::is_aliasing(kind) {
        return aliasing::decoration(subject, target, decoration);
    }
    decorations::check(subject, target, decoration)
}
