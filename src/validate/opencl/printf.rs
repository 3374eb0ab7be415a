//! printf of OpenCL.std: what may be printed, and a format that ends.

use oxicl_printf::Element;
use oxicl_spirv::grammar::{Op, StorageClass};
use oxicl_spirv::{ConstantKind, Def, Id, Operand, Type};

use crate::at::{At, Scalar, Shape};
use crate::quirk::Quirk;
use crate::violation::Check;

/// Operand 0 of OpExtInst is the set, 1 the instruction; the format and what is printed follow.
const FORMAT: usize = 2;
/// Address computations between a format and its variable that are looked through.
const STEPS: usize = 16;

pub(crate) fn check(at: &At<'_>) -> Check {
    let result = at.result_shape()?;
    at.require(result == Shape { scalar: Scalar::Int(32), count: 1 }, || "gives no 32-bit integer".to_owned())?;
    let (storage, pointee) = at.pointer(FORMAT)?;
    at.require(storage == StorageClass::UniformConstant || is_relaxed(at), || {
        format!("has its format in {storage:?}")
    })?;
    // The format may be a pointer to the array or to its first character.
    let character = match at.subject.declaration(pointee) {
        Some(Type::Array { element, .. }) => *element,
        _ => pointee,
    };
    at.require(at.subject.scalar(character) == Some(Scalar::Int(8)), || "has a format of no characters".to_owned())?;
    let mut shapes = Vec::new();
    for index in FORMAT + 1..at.operand_count() {
        shapes.push(argument(at, index)?);
    }
    match format(at, at.id(FORMAT)?) {
        Format::Unknown => {}
        Format::Endless => return at.fault("has a format without a null character at its end"),
        Format::Text(text) => {
            if let Err(bad) = oxicl_printf::check(&text, &shapes) {
                at.accept(Quirk::PrintfFormat, format!("prints by a format that does not fit: {bad}"));
            }
        }
    }
    Ok(())
}

/// Formats may lie in any memory.
fn is_relaxed(at: &At<'_>) -> bool {
    at.module().extensions.iter().any(|(name, _)| name == "SPV_EXT_relaxed_printf_string_address_space")
}

/// An argument is a number, a vector of numbers, or a pointer.
fn argument(at: &At<'_>, index: usize) -> Check<oxicl_printf::Shape> {
    let ty = at.operand(index)?;
    let shape = at.subject.shape(ty);
    let element = match (shape.map(|shape| shape.scalar), at.subject.pointer(ty)) {
        (Some(Scalar::Int(width)), _) => Element::Int(width),
        (Some(Scalar::Float(width)), _) => Element::Float(width),
        (_, Some(_)) => Element::Pointer,
        _ => {
            let what = at.subject.describe(ty);
            return at.fault(format!("has a {what} among its arguments, which cannot be printed"));
        }
    };
    Ok(oxicl_printf::Shape { element, count: shape.map_or(1, |shape| shape.count) })
}

/// What is known of a format.
enum Format {
    /// Nothing: it lies in a variable without initialiser, or is computed.
    Unknown,
    /// It has no null character.
    Endless,
    Text(Vec<u8>),
}

fn format(at: &At<'_>, format: Id) -> Format {
    let Some((variable, first)) = start(at, format) else { return Format::Unknown };
    let module = at.module();
    let initializer = module.global(variable).and_then(|global| module.constant(global.initializer?));
    let Some(initializer) = initializer else { return Format::Unknown };
    match &initializer.kind {
        ConstantKind::Composite(characters) => {
            let characters = usize::try_from(first).ok().and_then(|first| characters.get(first..)).unwrap_or_default();
            let mut text = Vec::new();
            for character in characters {
                match module.constant_bits(*character) {
                    Some(bits) if bits & 0xff == 0 => return Format::Text(text),
                    Some(bits) => text.push(bits as u8),
                    None => return Format::Unknown,
                }
            }
            Format::Endless
        }
        ConstantKind::Scalar(bits) if bits & 0xff != 0 => Format::Endless,
        ConstantKind::Scalar(_) | ConstantKind::Null => Format::Text(Vec::new()),
        _ => Format::Unknown,
    }
}

/// The variable that the format lies in, and the index of its first character.
fn start(at: &At<'_>, mut id: Id) -> Option<(Id, u64)> {
    let module = at.module();
    let mut offset = 0u64;
    for _ in 0..STEPS {
        let (op, operands) = match module.def(id) {
            Def::Global(_) => return Some((id, offset)),
            Def::Instruction { .. } => {
                let instruction = module.instruction(id)?;
                (instruction.op, instruction.operands(module))
            }
            Def::Constant(_) => match module.constant(id)?.kind {
                ConstantKind::Operation { op, operands } => {
                    (op, module.operands.get(operands.start as usize..(operands.start + operands.len) as usize)?)
                }
                _ => return None,
            },
            _ => return None,
        };
        let [Operand::Id(base), indices @ ..] = operands else { return None };
        let number = |index: &Operand| match index {
            Operand::Id(id) => module.constant_bits(*id),
            Operand::Word(_) => None,
        };
        match (op, indices) {
            (Op::Bitcast | Op::CopyObject, []) => {}
            (Op::AccessChain | Op::InBoundsAccessChain, [index]) => offset = offset.checked_add(number(index)?)?,
            (Op::PtrAccessChain | Op::InBoundsPtrAccessChain, [element, index]) if number(element) == Some(0) => {
                offset = offset.checked_add(number(index)?)?;
            }
            _ => return None,
        }
        id = *base;
    }
    None
}
