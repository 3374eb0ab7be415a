//! Addresses: access chains (section 3.49.8), and conversions between pointers and integers (3.49.11).

use oxicl_llvm::{GepFlags, Value};
use oxicl_ops::Operation;
use oxicl_spirv::{Id, Instruction, Operand, Type, TypeRef};
use spirv::StorageClass;

use crate::body::Body;
use crate::refusal::{Refusal, Result};
use crate::unit::Effects;

/// OpAccessChain.
pub(crate) fn op_access_chain(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    chain(body, instruction, false, GepFlags::NONE)
}

/// OpInBoundsAccessChain.
pub(crate) fn op_in_bounds_access_chain(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    chain(body, instruction, false, GepFlags::IN_BOUNDS)
}

/// OpPtrAccessChain.
pub(crate) fn op_ptr_access_chain(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    chain(body, instruction, true, GepFlags::NONE)
}

/// OpInBoundsPtrAccessChain.
pub(crate) fn op_in_bounds_ptr_access_chain(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    chain(body, instruction, true, GepFlags::IN_BOUNDS)
}

fn chain(body: &mut Body<'_, '_>, instruction: &Instruction, element: bool, flags: GepFlags) -> Result<()> {
    let base = body.operand(instruction, 0)?;
    let operands = instruction.operands(body.unit.module).get(1..).unwrap_or(&[]);
    let ids: Vec<Id> = operands.iter().filter_map(|o| if let Operand::Id(id) = o { Some(*id) } else { None }).collect();
    let ty = body.operand_ref(instruction, 0)?;
    let address = match *body.unit.module.ty(ty) {
        // A vector of pointers, pointer by pointer.
        Type::Vector { component, count } => {
            let pointee = body.pointee_of(component)?;
            let mut vector = body.result_type(instruction)?.zero();
            for lane in 0..u64::from(count) {
                let pointer = body.builder.extract_element(base, body.index(lane));
                let address = follow(body, (pointer, pointee), &ids, (element, flags, Some(lane)))?;
                vector = body.builder.insert_element(vector, address, body.index(lane));
            }
            vector
        }
        _ => {
            let pointee = body.pointee(instruction, 0)?;
            follow(body, (base, pointee), &ids, (element, flags, None))?
        }
    };
    body.define(instruction, address)
}

/// Whether the first index counts elements, the flags of the steps, and the component that indices are taken for.
type Way = (bool, GepFlags, Option<u64>);

/// The address that indices lead to.
fn follow<'a>(
    body: &mut Body<'_, 'a>,
    (mut address, mut ty): (Value<'a>, TypeRef),
    indices: &[Id],
    way: Way,
) -> Result<Value<'a>> {
    let mut rest = indices;
    if way.0 {
        let Some((first, others)) = rest.split_first() else { return Err(Refusal::new("there is no element index")) };
        address = step(body, address, ty, *first, way)?;
        rest = others;
    }
    for index in rest {
        (address, ty) = into(body, address, ty, *index, way)?;
    }
    Ok(address)
}

/// One index deeper into a composite.
fn into<'a>(
    body: &mut Body<'_, 'a>,
    address: Value<'a>,
    ty: TypeRef,
    index: Id,
    way: Way,
) -> Result<(Value<'a>, TypeRef)> {
    let module = body.unit.module;
    match module.ty(ty) {
        Type::Struct { members } => {
            let member = module.constant_bits(index).and_then(|m| usize::try_from(m).ok());
            let part = member.and_then(|m| Some((*members.get(m)?, body.unit.layouts.member_offset(ty, m)?)));
            let Some((part, offset)) = part else {
                return Err(Refusal::new(format!("{index} is no constant index of a member")));
            };
            if offset == 0 {
                return Ok((address, part));
            }
            let context = body.unit.context;
            let bytes = context.int_type(64).const_int(offset);
            Ok((body.builder.gep(context.int_type(8), address, &[bytes], way.1), part))
        }
        Type::Array { element, .. } | Type::Vector { component: element, .. } => {
            Ok((step(body, address, *element, index, way)?, *element))
        }
        _ => Err(Refusal::new("an index goes into what is no composite")),
    }
}

/// `index` elements of type `ty` further. Indices are signed and of any width.
fn step<'a>(body: &mut Body<'_, 'a>, address: Value<'a>, ty: TypeRef, index: Id, way: Way) -> Result<Value<'a>> {
    let size = body.unit.layouts.size_of(ty).ok_or_else(|| Refusal::new("the pointee has no size"))?;
    if body.unit.module.constant_bits(index) == Some(0) {
        return Ok(address);
    }
    let context = body.unit.context;
    let i64_type = context.int_type(64);
    let mut index = body.value(index)?;
    if let Some(lane) = way.2.filter(|_| index.ty().is_vector()) {
        index = body.builder.extract_element(index, body.index(lane));
    }
    if index.ty() != i64_type {
        index = body.builder.sext(index, i64_type);
    }
    let memory = body.unit.ty(ty)?.memory;
    // Scalars keep their type as the step, which is what later stages recognise; the rest counts in bytes.
    let unit = if is_aggregate(memory) || body.unit.out.size_of(memory) != size {
        context.int_type(8).array(size)
    } else {
        memory
    };
    Ok(body.builder.gep(unit, address, &[index], way.1))
}

/// Whether a type's own layout is not to be relied on.
fn is_aggregate(ty: oxicl_llvm::Type<'_>) -> bool {
    !(ty.is_int() || ty.is_float() || ty.is_pointer() || ty.is_vector())
}

/// OpConvertPtrToU.
pub(crate) fn op_convert_ptr_to_u(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let (value, ty) = (body.operand(instruction, 0)?, body.result_type(instruction)?);
    let address = body.builder.ptr_to_int(value, ty);
    body.define(instruction, address)
}

/// OpConvertUToPtr.
pub(crate) fn op_convert_u_to_ptr(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let (value, ty) = (body.operand(instruction, 0)?, body.result_type(instruction)?);
    let pointer = body.builder.int_to_ptr(value, ty);
    body.define(instruction, pointer)
}

/// OpPtrCastToGeneric.
pub(crate) fn op_ptr_cast_to_generic(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    cast(body, instruction)
}

/// OpGenericCastToPtr.
pub(crate) fn op_generic_cast_to_ptr(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    cast(body, instruction)
}

fn cast(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let (value, ty) = (body.operand(instruction, 0)?, body.result_type(instruction)?);
    let pointer = if value.ty() == ty { value } else { body.builder.addrspace_cast(value, ty) };
    body.define(instruction, pointer)
}

/// The storage class, as SPIR-V numbers it, of what a generic pointer points to: the work-group stage knows where local
/// and private memory lie.
fn storage_of<'a>(body: &Body<'_, 'a>, pointer: Value<'a>) -> Value<'a> {
    let context = body.unit.context;
    let ty = context.int_type(32).function(&[context.pointer_type(4)]);
    let function = body.unit.declare(&Operation::StorageClass.name(), ty, Effects::Pure);
    body.builder.call(function, &[pointer])
}

/// OpGenericCastToPtrExplicit: null if the pointer is not to the storage class asked for.
pub(crate) fn op_generic_cast_to_ptr_explicit(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let (value, ty) = (body.operand(instruction, 0)?, body.result_type(instruction)?);
    let wanted = body.word(instruction, 1)?;
    let storage = storage_of(body, value);
    let right = body.builder.icmp(oxicl_llvm::IntPredicate::Eq, storage, body.splat(storage.ty(), u64::from(wanted)));
    let pointer = body.builder.addrspace_cast(value, ty);
    let result = body.builder.select(right, pointer, ty.zero());
    body.define(instruction, result)
}

/// OpGenericPtrMemSemantics: the memory semantics bit of the storage class pointed to.
pub(crate) fn op_generic_ptr_mem_semantics(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let (value, ty) = (body.operand(instruction, 0)?, body.result_type(instruction)?);
    let storage = storage_of(body, value);
    let is = |class: StorageClass| {
        body.builder.icmp(oxicl_llvm::IntPredicate::Eq, storage, body.splat(storage.ty(), class as u64))
    };
    let (local, private) = (is(StorageClass::Workgroup), is(StorageClass::Function));
    let semantics = body.builder.select(private, body.splat(ty, 0), body.splat(ty, 0x200));
    let semantics = body.builder.select(local, body.splat(ty, 0x100), semantics);
    body.define(instruction, semantics)
}

/// OpPtrEqual.
pub(crate) fn op_ptr_equal(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    compare(body, instruction, oxicl_llvm::IntPredicate::Eq)
}

/// OpPtrNotEqual.
pub(crate) fn op_ptr_not_equal(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    compare(body, instruction, oxicl_llvm::IntPredicate::Ne)
}

fn compare(body: &mut Body<'_, '_>, instruction: &Instruction, predicate: oxicl_llvm::IntPredicate) -> Result<()> {
    let (left, right) = (body.operand(instruction, 0)?, body.operand(instruction, 1)?);
    let result = body.builder.icmp(predicate, left, right);
    body.define(instruction, result)
}

/// OpPtrDiff: in elements.
pub(crate) fn op_ptr_diff(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let (left, right) = (body.operand(instruction, 0)?, body.operand(instruction, 1)?);
    let size = body.unit.layouts.size_of(body.pointee(instruction, 0)?).unwrap_or(1).max(1);
    let i64_type = body.unit.context.int_type(64);
    let bytes = body.builder.sub(body.builder.ptr_to_int(left, i64_type), body.builder.ptr_to_int(right, i64_type));
    let elements = body.builder.sdiv(bytes, i64_type.const_int(size));
    let ty = body.result_type(instruction)?;
    let result = if ty == i64_type { elements } else { body.builder.trunc(elements, ty) };
    body.define(instruction, result)
}
