//! printf of OpenCL.std: what may be printed, and a format that ends.

use oxicl_spirv::grammar::{Op, StorageClass};
use oxicl_spirv::{ConstantKind, Def, Id, Operand, Type};

use crate::at::{At, Scalar, Shape};
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
    at.require(ends(at, at.id(FORMAT)?), || "has a format without a null character at its end".to_owned())?;
    (FORMAT + 1..at.operand_count()).try_for_each(|index| argument(at, index))
}

/// Formats may lie in any memory.
fn is_relaxed(at: &At<'_>) -> bool {
    at.module().extensions.iter().any(|(name, _)| name == "SPV_EXT_relaxed_printf_string_address_space")
}

/// An argument is a number, a vector of numbers, or a pointer.
fn argument(at: &At<'_>, index: usize) -> Check {
    let ty = at.operand(index)?;
    let number = at.subject.shape(ty).is_some_and(|shape| shape.scalar != Scalar::Bool);
    at.require(number || at.subject.pointer(ty).is_some(), || {
        format!("has a {} among its arguments, which cannot be printed", at.subject.describe(ty))
    })
}

/// Has the format a null character? `true` if it cannot be told.
fn ends(at: &At<'_>, format: Id) -> bool {
    let Some((variable, first)) = start(at, format) else { return true };
    let module = at.module();
    let Some(global) = module.global(variable) else { return true };
    let Some(initializer) = global.initializer.and_then(|id| module.constant(id)) else { return true };
    match &initializer.kind {
        ConstantKind::Composite(characters) => {
            let characters = usize::try_from(first).ok().and_then(|first| characters.get(first..)).unwrap_or_default();
            // Characters that are no constants yet are specialised later.
            characters.iter().any(|id| module.constant_bits(*id).is_none_or(|bits| bits & 0xff == 0))
        }
        ConstantKind::Scalar(bits) => bits & 0xff == 0,
        _ => true,
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
