//! Memory Instructions.

use oxicl_spirv::grammar::{Capability, MemoryAccess, StorageClass};
use oxicl_spirv::{AliasKind, Def, Type, TypeRef, op_name};

use crate::at::{At, Scalar, Shape};
use crate::opencl::images;
use crate::quirk::Quirk;
use crate::rule::Rule;
use crate::violation::{Check, fault};

/// Indices of an access chain.
const MAX_INDICES: usize = 255;

/// OpVariable in a function: Function storage, an initialiser of the pointee type that is a constant.
pub(crate) fn variable(at: &At<'_>) -> Check {
    let (storage, pointee) = at.result_pointer()?;
    let operand = StorageClass::from_u32(at.word(0)?);
    at.require(storage == StorageClass::Function && operand == Some(storage), || {
        "in a function needs the Function storage class".to_owned()
    })?;
    at.require(at.subject.layouts.get(pointee).is_some(), || {
        format!("holds a {}, which has no size", at.subject.describe(pointee))
    })?;
    if at.operand_count() > 1 {
        let at = At { rule: Rule::VariableInitializer, ..*at };
        let initializer = at.id(1)?;
        at.require(matches!(at.module().def(initializer), Def::Constant(_) | Def::Global(_)), || {
            "has an initialiser that is no constant".to_owned()
        })?;
        at.operand_is(1, pointee)?;
    }
    Ok(())
}

/// The memory access operands from `first` on; gives the position after one of them.
fn access(at: &At<'_>, first: usize) -> Check<usize> {
    let Some(bits) = at.instruction.word(at.module(), first) else { return Ok(first) };
    let Some(access) = MemoryAccess::from_bits(bits) else {
        return fault(
            Rule::MemoryOperands,
            format!("{} has unknown memory access bits {bits:#x}", op_name(at.instruction.op)),
        );
    };
    let aliasing = MemoryAccess::ALIAS_SCOPE_INTEL_MASK | MemoryAccess::NO_ALIAS_INTEL_MASK;
    let known = MemoryAccess::VOLATILE | MemoryAccess::ALIGNED | MemoryAccess::NONTEMPORAL | aliasing;
    let name = op_name(at.instruction.op);
    if !known.contains(access) {
        let detail = format!("{name} has memory access {access:?}, which this device does not offer");
        return fault(Rule::MemoryOperands, detail);
    }
    let mut next = first + 1;
    if access.contains(MemoryAccess::ALIGNED) {
        let align = at.word(next)?;
        if !align.is_power_of_two() {
            at.accept(Quirk::AlignmentNotPowerOfTwo, format!("has an alignment of {align} bytes"));
        }
        next += 1;
    }
    for _ in (access & aliasing).iter() {
        at.subject.declared.needs(&[Capability::MemoryAccessAliasingINTEL], "a memory access with alias scopes")?;
        let list = at.id(next)?;
        if !at.module().alias(list).is_some_and(|alias| matches!(alias.kind, AliasKind::List(_))) {
            return fault(Rule::MemoryOperands, format!("{name} names {list}, which is no list of alias scopes"));
        }
        next += 1;
    }
    Ok(next)
}

/// The pointee can be loaded and stored: it has a size.
fn sized(at: &At<'_>, ty: TypeRef) -> Check<u64> {
    match at.subject.layouts.size_of(ty) {
        Some(size) => Ok(size),
        None => at.fault(format!("accesses a {}, which has no size", at.subject.describe(ty))),
    }
}

/// OpLoad: pointer, memory access.
pub(crate) fn load(at: &At<'_>) -> Check {
    let (_, pointee) = at.pointer(0)?;
    at.require(pointee == at.result()?, || {
        let (result, pointee) =
            (at.subject.describe(at.instruction.result_type.unwrap_or(pointee)), at.subject.describe(pointee));
        format!("gives a {result} through a pointer to a {pointee}")
    })?;
    sized(at, pointee)?;
    access(at, 1).map(|_| ())
}

fn writable(at: &At<'_>, storage: StorageClass) -> Check {
    at.require(!matches!(storage, StorageClass::UniformConstant | StorageClass::Input), || {
        format!("writes to {storage:?}")
    })
}

/// OpStore: pointer, object, memory access.
pub(crate) fn store(at: &At<'_>) -> Check {
    let (storage, pointee) = at.pointer(0)?;
    writable(at, storage)?;
    sized(at, pointee)?;
    at.operand_is(1, pointee)?;
    access(at, 2).map(|_| ())
}

/// OpCopyMemory: target, source, memory access for one or each.
pub(crate) fn copy(at: &At<'_>) -> Check {
    let ((storage, target), (_, source)) = (at.pointer(0)?, at.pointer(1)?);
    writable(at, storage)?;
    sized(at, target)?;
    at.require(target == source, || "copies between pointers to different types".to_owned())?;
    accesses(at, 2)
}

/// OpCopyMemorySized: target, source, size, memory access for one or each.
pub(crate) fn copy_sized(at: &At<'_>) -> Check {
    let (storage, _) = at.pointer(0)?;
    at.pointer(1)?;
    writable(at, storage)?;
    images::not_converted(at, at.operand(0)?)?;
    images::not_converted(at, at.operand(1)?)?;
    at.int_scalar(2)?;
    let size = at.module().constant_bits(at.id(2)?);
    at.require(size != Some(0), || "copies nothing".to_owned())?;
    accesses(at, 3)
}

/// The memory operands of a copy: one set, or from 1.4 on one of the target and one of the source.
fn accesses(at: &At<'_>, first: usize) -> Check {
    let second = access(at, first)?;
    let end = access(at, second)?;
    if end > second && at.module().version < (1, 4) {
        let name = op_name(at.instruction.op);
        return fault(Rule::VersionReached, format!("two sets of memory operands of {name} need SPIR-V 1.4"));
    }
    Ok(())
}

/// OpAccessChain, OpInBoundsAccessChain (`element` false) and the OpPtrAccessChain forms, which have an element first.
pub(crate) fn access_chain(at: &At<'_>, element: bool) -> Check {
    let (_, result, _) = at.pointers(at.result()?)?;
    let reached = reached(at, element)?;
    at.require(reached == result, || {
        format!("gives a pointer to a {}, but goes to a {}", at.subject.describe(result), at.subject.describe(reached))
    })
}

/// The type that the indices of an access chain lead to.
pub(crate) fn reached(at: &At<'_>, element: bool) -> Check<TypeRef> {
    if at.operand_count() > MAX_INDICES + 1 + usize::from(element) {
        return fault(Rule::UniversalLimit, format!("an access chain has more than {MAX_INDICES} indices"));
    }
    let (storage, mut ty, count) = at.pointers(at.operand(0)?)?;
    let (result_storage, _, result_count) = at.pointers(at.result()?)?;
    at.require(storage == result_storage, || format!("makes a pointer to {result_storage:?} of one to {storage:?}"))?;
    at.require(count == result_count, || format!("makes {result_count} pointers of {count}"))?;
    // A vector of pointers may have an index for each.
    let is_index = |index| match at.shape(index)? {
        Shape { scalar: Scalar::Int(_), count: indices } if indices == count => Ok(()),
        _ => at.int_scalar(index).map(|_| ()),
    };
    let opaque = at.subject.holds_opaque(ty);
    let mut first = 1;
    if element {
        is_index(1)?;
        if opaque {
            images::index(at, 1, Some(1))?;
        }
        at.require(at.subject.is_sized(ty), || format!("goes along a {}, which has no size", at.subject.describe(ty)))?;
        first = 2;
    }
    for index in first..at.operand_count() {
        is_index(index)?;
        ty = match at.subject.declaration(ty) {
            Some(Type::Array { element, length }) => {
                if opaque {
                    images::index(at, index, at.module().constant_bits(*length))?;
                }
                *element
            }
            Some(Type::Vector { component, count }) => {
                if opaque {
                    images::index(at, index, Some(u64::from(*count)))?;
                }
                *component
            }
            Some(Type::Struct { members }) => {
                let member = at.module().constant_bits(at.id(index)?);
                let member = member.and_then(|member| members.get(usize::try_from(member).ok()?));
                match member {
                    Some(member) => *member,
                    None => {
                        return at.fault(format!(
                            "has as operand {index} no constant that is a member of the structure of {} members",
                            members.len()
                        ));
                    }
                }
            }
            _ => return at.fault(format!("has an index into a {}", at.subject.describe(ty))),
        };
        at.require(at.subject.is_sized(ty), || format!("goes into a {}, which has no size", at.subject.describe(ty)))?;
    }
    Ok(ty)
}

/// OpSizeOf: a pointer to what has a size.
pub(crate) fn size_of(at: &At<'_>) -> Check {
    let (_, pointee) = at.pointer(0)?;
    sized(at, pointee)?;
    let shape = at.result_shape()?;
    at.require(shape.scalar == crate::at::Scalar::Int(32) && shape.count == 1, || "gives no 32-bit integer".to_owned())
}

/// OpGenericPtrMemSemantics.
pub(crate) fn generic_semantics(at: &At<'_>) -> Check {
    let (storage, _) = at.pointer(0)?;
    at.require(storage == StorageClass::Generic, || "has no Generic pointer".to_owned())?;
    let shape = at.result_shape()?;
    at.require(shape.scalar == crate::at::Scalar::Int(32) && shape.count == 1, || "gives no 32-bit integer".to_owned())
}

/// OpLifetimeStart and OpLifetimeStop: a pointer to Function memory, and its size or 0.
pub(crate) fn lifetime(at: &At<'_>) -> Check {
    let (storage, _) = at.pointer(0)?;
    at.require(storage == StorageClass::Function, || format!("has a pointer to {storage:?}"))?;
    at.word(1).map(|_| ())
}

/// Pointers, a literal alignment and a mask at operands `first` to `first + 2`; gives the pointee and the components.
fn masked(at: &At<'_>, first: usize) -> Check<(TypeRef, u32)> {
    let (storage, pointee, count) = at.pointers(at.operand(first)?)?;
    at.require(count > 1, || "has no vector of pointers".to_owned())?;
    at.require(storage != StorageClass::Input, || "reaches into built-in variables".to_owned())?;
    let align = at.word(first + 1)?;
    at.require(align == 0 || align.is_power_of_two(), || format!("has an alignment of {align} bytes"))?;
    at.operand_has(first + 2, Shape { scalar: Scalar::Bool, count })?;
    Ok((pointee, count))
}

/// `ty` is a vector of `count` components of type `component`.
fn is_vector_of(at: &At<'_>, ty: TypeRef, component: TypeRef, count: u32) -> Check {
    at.require(at.subject.declaration(ty) == Some(&Type::Vector { component, count }), || {
        format!("has a {} where a vector of what the pointers point to belongs", at.subject.describe(ty))
    })
}

/// OpMaskedGatherINTEL: pointers, alignment, mask, and what masked-off components are: a vector or one value for all.
pub(crate) fn gather(at: &At<'_>) -> Check {
    let (pointee, count) = masked(at, 0)?;
    is_vector_of(at, at.result()?, pointee, count)?;
    let fill = at.operand(3)?;
    if fill == pointee { Ok(()) } else { at.operand_is(3, at.result()?) }
}

/// OpMaskedScatterINTEL: values, pointers, alignment, mask.
pub(crate) fn scatter(at: &At<'_>) -> Check {
    let (pointee, count) = masked(at, 1)?;
    let (storage, _, _) = at.pointers(at.operand(1)?)?;
    writable(at, storage)?;
    is_vector_of(at, at.operand(0)?, pointee, count)
}

/// OpVariableLengthArrayINTEL: a Function pointer to elements, and how many there are.
pub(crate) fn variable_length_array(at: &At<'_>) -> Check {
    let (storage, pointee) = at.result_pointer()?;
    at.require(storage == StorageClass::Function, || format!("gives a pointer to {storage:?}"))?;
    sized(at, pointee)?;
    images::not_converted(at, at.result()?)?;
    at.int_scalar(0).map(|_| ())
}

/// OpSaveMemoryINTEL: gives a Function pointer.
pub(crate) fn save_memory(at: &At<'_>) -> Check {
    let (storage, _) = at.result_pointer()?;
    at.require(storage == StorageClass::Function, || format!("gives a pointer to {storage:?}"))?;
    images::not_converted(at, at.result()?)
}

/// OpRestoreMemoryINTEL: takes what OpSaveMemoryINTEL gave.
pub(crate) fn restore_memory(at: &At<'_>) -> Check {
    let (storage, _) = at.pointer(0)?;
    at.require(storage == StorageClass::Function, || format!("has a pointer to {storage:?}"))
}
