//! Decorations: what each may stand on in a kernel's module.

use oxicl_spirv::grammar::{Decoration as Kind, FunctionParameterAttribute as Attribute, Op, Scope};
use oxicl_spirv::{ConstantKind, Decoration, Def, Id, Type};

use crate::at::Subject;
use crate::quirk::Quirk;
use crate::rule::Rule;
use crate::violation::{Check, Location, fault};

/// What a decoration stands on.
#[derive(Clone, Copy)]
struct Target<'m> {
    subject: Subject<'m>,
    id: Id,
    /// The instruction of a function body, or the operation of a constant.
    op: Option<Op>,
}

impl<'m> Target<'m> {
    fn of(subject: Subject<'m>, id: Id) -> Self {
        let op = match subject.module.def(id) {
            Def::Instruction { .. } => subject.module.instruction(id).map(|instruction| instruction.op),
            Def::Constant(_) => match subject.module.constant(id).map(|constant| &constant.kind) {
                Some(ConstantKind::Operation { op, .. }) => Some(*op),
                _ => None,
            },
            _ => None,
        };
        Target { subject, id, op }
    }

    fn def(&self) -> Def {
        self.subject.module.def(self.id)
    }

    /// Type of the value.
    fn ty(&self) -> Option<&'m Type> {
        self.subject.module.type_of(self.id).and_then(|ty| self.subject.declaration(ty))
    }

    fn is_pointer(&self) -> bool {
        matches!(self.ty(), Some(Type::Pointer { .. }))
    }

    /// A variable, or a pointer that is a parameter.
    fn is_memory_object(&self) -> bool {
        match self.def() {
            Def::Global(_) => true,
            Def::Parameter { .. } => self.is_pointer(),
            _ => self.op == Some(Op::Variable),
        }
    }

    /// A constant that had an operation before it was specialised may have had any.
    fn is_folded(&self) -> bool {
        self.subject.folded && matches!(self.def(), Def::Constant(_))
    }

    /// A boolean or number that the host can specialise.
    fn is_specialisable(&self) -> bool {
        self.subject.module.constant(self.id).is_some_and(|constant| {
            constant.spec && matches!(constant.kind, ConstantKind::Bool(_) | ConstantKind::Scalar(_))
        })
    }

    fn is(&self, ops: &[Op]) -> bool {
        self.op.is_some_and(|op| ops.contains(&op))
    }
}

/// The decoration, whose target is no member and no group, stands on what it is for.
pub(crate) fn check(subject: Subject<'_>, id: Id, decoration: &Decoration) -> Check {
    let target = Target::of(subject, id);
    let kind = decoration.decoration;
    let wanted = match kind {
        Kind::CPacked => (is_structure(subject, id), "a structure type"),
        Kind::LinkageAttributes => {
            (matches!(target.def(), Def::Function(_) | Def::Global(_)), "a function or a module-scope variable")
        }
        Kind::SpecId => (target.is_specialisable(), "a boolean or number that is a specialisation constant"),
        Kind::BuiltIn => (matches!(target.def(), Def::Global(_) | Def::Constant(_)), "a module-scope variable"),
        Kind::Constant => {
            let is_variable = matches!(target.def(), Def::Global(_)) || target.op == Some(Op::Variable);
            if !is_variable && target.is_memory_object() {
                let location = Location { op: Some(Op::Decorate), result: None, offset: decoration.offset };
                let detail = format!("Constant stands on {id}, which is no variable but a parameter");
                subject.warnings.add(Quirk::ConstantParameter, location, detail);
            }
            (is_variable || target.is_memory_object(), "a variable")
        }
        Kind::Volatile
        | Kind::Coherent
        | Kind::Restrict
        | Kind::Aliased
        | Kind::RestrictPointer
        | Kind::AliasedPointer => (target.is_memory_object(), "a variable or a pointer parameter"),
        Kind::Alignment | Kind::AlignmentId | Kind::MaxByteOffset | Kind::MaxByteOffsetId => {
            (target.is_pointer(), "a pointer")
        }
        Kind::SaturatedConversion => (is_conversion_to_integers(&target), "a conversion to integers"),
        Kind::FPRoundingMode if target.is(INTEGER_CONVERSIONS) => {
            let location = Location { op: Some(Op::Decorate), result: None, offset: decoration.offset };
            let detail = format!("FPRoundingMode stands on {id}, which converts an integer to an integer");
            subject.warnings.add(Quirk::RoundingOfIntegers, location, detail);
            return operands(subject, decoration);
        }
        Kind::FPRoundingMode => (
            target.is_folded()
                || target.is(&[Op::FConvert, Op::ConvertFToU, Op::ConvertFToS, Op::ConvertUToF, Op::ConvertSToF]),
            "a conversion from or to floating-point numbers",
        ),
        Kind::NoSignedWrap => (
            target.is_folded()
                || target.is(&[Op::IAdd, Op::ISub, Op::IMul, Op::ShiftLeftLogical, Op::SNegate, Op::ExtInst]),
            "an integer addition, subtraction, multiplication, negation or left shift",
        ),
        Kind::NoUnsignedWrap => (
            target.is_folded() || target.is(&[Op::IAdd, Op::ISub, Op::IMul, Op::ShiftLeftLogical, Op::ExtInst]),
            "an integer addition, subtraction, multiplication or left shift",
        ),
        Kind::FPFastMathMode => (target.op.is_some() || target.is_folded(), "an instruction"),
        Kind::NonWritable => {
            (target.op == Some(Op::Variable), "a variable of a function, nor an image or block of a shader")
        }
        Kind::NonReadable => (false, "an image or a block of a shader"),
        Kind::FuncParamAttr => return parameter_attribute(&target, decoration),
        Kind::UniformId => return operands(subject, decoration),
        _ => return Ok(()),
    };
    if !wanted.0 {
        return fault(Rule::DecorationTarget, format!("{kind:?} stands on {id}, which is not {}", wanted.1));
    }
    operands(subject, decoration)
}

const INTEGER_CONVERSIONS: &[Op] = &[Op::UConvert, Op::SConvert, Op::SatConvertSToU, Op::SatConvertUToS];

fn is_conversion_to_integers(target: &Target<'_>) -> bool {
    let conversions =
        [Op::ConvertFToU, Op::ConvertFToS, Op::UConvert, Op::SConvert, Op::SatConvertSToU, Op::SatConvertUToS];
    target.is_folded() || target.is(&conversions)
}

/// Operands that are ids name constants.
fn operands(subject: Subject<'_>, decoration: &Decoration) -> Check {
    match decoration.decoration {
        Kind::AlignmentId | Kind::MaxByteOffsetId => {
            let constant = decoration.operands.first().and_then(|word| std::num::NonZeroU32::new(*word)).map(Id);
            let bits = constant.and_then(|id| subject.module.constant_bits(id));
            let is_int = constant
                .and_then(|id| subject.module.type_of(id))
                .is_some_and(|ty| subject.scalar(ty).is_some_and(crate::at::Scalar::is_int));
            match bits {
                Some(_) if is_int => Ok(()),
                _ => fault(
                    Rule::DecorationOperand,
                    format!("{:?} has an operand that is no constant integer", decoration.decoration),
                ),
            }
        }
        Kind::UniformId => {
            let scope = decoration.operands.first().and_then(|word| std::num::NonZeroU32::new(*word)).map(Id);
            let bits = scope.and_then(|id| subject.module.constant_bits(id));
            match bits.and_then(|bits| u32::try_from(bits).ok()).and_then(Scope::from_u32) {
                Some(_) => Ok(()),
                None => fault(Rule::DecorationOperand, "UniformId names no scope"),
            }
        }
        _ => Ok(()),
    }
}

fn is_structure(subject: Subject<'_>, id: Id) -> bool {
    matches!(subject.module.type_ref(id).and_then(|ty| subject.declaration(ty)), Some(Type::Struct { .. }))
}

/// FuncParamAttr: parameters and results of functions, each attribute with its types.
fn parameter_attribute(target: &Target<'_>, decoration: &Decoration) -> Check {
    let refuse = |detail: String| fault(Rule::ParameterAttribute, detail);
    let (ty, what) = match target.def() {
        Def::Parameter { .. } => (target.ty(), "parameter"),
        Def::Function(_) => {
            let function = target.subject.module.function(target.id);
            (function.and_then(|function| target.subject.declaration(function.result)), "result")
        }
        _ => {
            return refuse(format!("FuncParamAttr stands on {}, which is no parameter and no function", target.id));
        }
    };
    let Some(attribute) = decoration.operands.first().and_then(|word| Attribute::from_u32(*word)) else {
        return refuse("FuncParamAttr has no known attribute".to_owned());
    };
    let fits = match attribute {
        Attribute::Zext | Attribute::Sext => matches!(ty, Some(Type::Int { .. } | Type::Bool | Type::Vector { .. })),
        _ => matches!(ty, Some(Type::Pointer { .. })),
    };
    if fits {
        return Ok(());
    }
    refuse(format!("{what} {} has the attribute {attribute:?}, which is not for its type", target.id))
}

/// Decorations of members that only variables can have.
pub(crate) fn member(decoration: &Decoration) -> Check {
    match decoration.decoration {
        Kind::BuiltIn => fault(Rule::BuiltInVariable, "a member of a structure is a built-in, which only shaders have"),
        kind @ (Kind::LinkageAttributes | Kind::FuncParamAttr | Kind::SpecId | Kind::Constant | Kind::CPacked) => {
            fault(Rule::DecorationTarget, format!("{kind:?} stands on a member of a structure"))
        }
        _ => Ok(()),
    }
}
