//! Section 3.49.8, memory: variables, loads, stores and copies.

use oxicl_llvm::{Type as LlvmType, Value};
use oxicl_spirv::{Id, Instruction, Operand, Type, TypeRef};
use spirv::MemoryAccess;

use crate::aliasing;
use crate::body::Body;
use crate::refusal::{Refusal, Result};

/// What a memory access says of itself. Nontemporal is a hint that is not passed on: loads with it bring LLVM 22's
/// instruction selection down, and stores past the caches are not ordered by the barriers and releases that follow.
#[derive(Clone, Copy, Default)]
pub(crate) struct Access {
    volatile: bool,
    /// In bytes; 0 if it says nothing.
    align: u32,
    /// The list of alias scopes that it is in.
    scopes: Option<Id>,
    /// The list of alias scopes that it does not overlap with.
    apart: Option<Id>,
}

impl Access {
    /// Reads memory operands: what they say, and how many there are.
    fn read(operands: &[Operand]) -> (Self, usize) {
        let Some(Operand::Word(mask)) = operands.first() else { return (Access::default(), 0) };
        let mask = MemoryAccess::from_bits_truncate(*mask);
        let mut next = 1;
        let mut take = |bit| {
            let operand = operands.get(next).filter(|_| mask.contains(bit));
            next += usize::from(operand.is_some());
            operand
        };
        let align = match take(MemoryAccess::ALIGNED) {
            Some(Operand::Word(align)) if align.is_power_of_two() => *align,
            _ => 0,
        };
        let [scopes, apart] =
            [MemoryAccess::ALIAS_SCOPE_INTEL_MASK, MemoryAccess::NO_ALIAS_INTEL_MASK].map(|bit| match take(bit) {
                Some(Operand::Id(list)) => Some(*list),
                _ => None,
            });
        let volatile = mask.contains(MemoryAccess::VOLATILE);
        (Access { volatile, align, scopes, apart }, next)
    }

    /// The alignment to count on, where elements are aligned to `element` bytes. Compilers write down what the language
    /// promises for vectors, but the memory of applications is aligned as they please: there only elements count. Memory
    /// that we lay out is as aligned as the access says.
    fn alignment(self, pointer: Value<'_>, element: u32) -> u32 {
        let ours = matches!(pointer.ty().address_space(), 0 | 3);
        match self.align {
            0 => element,
            align if ours => align,
            align => align.min(element),
        }
    }

    /// Marks a load or store.
    fn apply<'a>(self, body: &Body<'_, 'a>, access: Value<'a>) {
        if self.volatile {
            access.set_volatile(true);
        }
        aliasing::mark(body, access, self.scopes, self.apart);
    }
}

/// The alignment that a pointer to `ty` surely has: that of its elements, since applications align no better; none if it
/// may be that of a member of a packed structure.
pub(crate) fn element_alignment(body: &Body<'_, '_>, ty: TypeRef) -> u32 {
    if body.unit.packed {
        return 1;
    }
    match body.unit.module.ty(ty) {
        Type::Vector { component, .. } => body.unit.layouts.align_of(*component).unwrap_or(1) as u32,
        _ => body.unit.layouts.align_of(ty).unwrap_or(1) as u32,
    }
}

/// OpVariable in a function.
pub(crate) fn op_variable(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let pointee = body.pointee_of(body.result_ref(instruction)?)?;
    let memory = body.unit.ty(pointee)?.memory;
    let natural = body.unit.layouts.align_of(pointee).unwrap_or(1) as u32;
    let decorated = instruction.result.and_then(|id| body.unit.module.alignment(id)).unwrap_or(1);
    let align = if decorated.is_power_of_two() { natural.max(decorated) } else { natural };
    let variable = body.in_prologue(|body| Ok(body.builder.alloca(memory, align)))?;
    // Operand 0 is the storage class.
    if let Some(initial) = body.optional(instruction, 1)? {
        put(body, pointee, initial, variable, align, false)?;
    } else if body.unit.zero_private || body.unit.types.holds_images(pointee) {
        // An image is the address of what is read to use it: any but 0 must be one.
        let bytes = body.unit.layouts.get(pointee).map_or(0, |layout| layout.size);
        zero(body, variable, align, bytes);
    }
    body.define(instruction, variable)
}

/// Makes memory zeros, by one operation whatever its size.
pub(crate) fn zero<'a>(body: &Body<'_, 'a>, memory: Value<'a>, align: u32, bytes: u64) -> Value<'a> {
    let context = body.unit.context;
    body.builder.memset((memory, align), context.int_type(8).zero(), context.int_type(64).const_int(bytes))
}

/// OpLoad.
pub(crate) fn op_load(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let id = body.id(instruction, 0)?;
    if body.unit.module.global(id).is_some() && body.unit.module.built_in(id).is_some() {
        return crate::builtin_variables::load(body, instruction, id);
    }
    let pointer = body.value(id)?;
    let (access, _) = Access::read(instruction.operands(body.unit.module).get(1..).unwrap_or(&[]));
    let ty = body.result_ref(instruction)?;
    let value = load(body, ty, pointer, access)?;
    body.define(instruction, value)
}

/// Loads a value of a SPIR-V type.
pub(crate) fn load<'a>(body: &mut Body<'_, 'a>, ty: TypeRef, pointer: Value<'a>, access: Access) -> Result<Value<'a>> {
    let lowered = body.unit.ty(ty)?;
    let (register, memory) = (lowered.register, lowered.memory);
    let align = access.alignment(pointer, element_alignment(body, ty));
    let loaded = body.builder.load(memory, pointer, align);
    access.apply(body, loaded);
    Ok(from_memory(body, register, loaded))
}

/// OpStore.
pub(crate) fn op_store(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let pointer = body.operand(instruction, 0)?;
    let value = body.operand(instruction, 1)?;
    let ty = body.operand_ref(instruction, 1)?;
    let (access, _) = Access::read(instruction.operands(body.unit.module).get(2..).unwrap_or(&[]));
    store(body, ty, value, pointer, access)
}

/// Stores a value of a SPIR-V type.
pub(crate) fn store<'a>(
    body: &mut Body<'_, 'a>,
    ty: TypeRef,
    value: Value<'a>,
    pointer: Value<'a>,
    access: Access,
) -> Result<()> {
    let align = access.alignment(pointer, element_alignment(body, ty));
    let written = put(body, ty, value, pointer, align, access.volatile)?;
    access.apply(body, written);
    Ok(())
}

/// Writes a value of a SPIR-V type: zeros of bytes by one operation, unless it is `volatile`, as LLVM would store them one by
/// one. (Arrays of other numbers are stored as such, so that lanes may have theirs interleaved.)
fn put<'a>(
    body: &Body<'_, 'a>,
    ty: TypeRef,
    value: Value<'a>,
    pointer: Value<'a>,
    align: u32,
    volatile: bool,
) -> Result<Value<'a>> {
    let module = body.unit.module;
    let is_byte = |ty: &TypeRef| matches!(module.ty(*ty), Type::Int { width: 8, .. });
    let are_bytes = matches!(module.ty(ty), Type::Array { element, .. } if is_byte(element));
    match body.unit.layouts.get(ty) {
        Some(layout) if are_bytes && !volatile && value.is_zero() => Ok(zero(body, pointer, align, layout.size)),
        _ => Ok(body.builder.store(to_memory(body, body.unit.ty(ty)?.memory, value), pointer, align)),
    }
}

/// A register value as a memory cell holds it: booleans become bytes.
pub(crate) fn to_memory<'a>(body: &Body<'_, 'a>, memory: LlvmType<'a>, value: Value<'a>) -> Value<'a> {
    if value.ty() == memory { value } else { body.builder.zext(value, memory) }
}

/// The other way.
pub(crate) fn from_memory<'a>(body: &Body<'_, 'a>, register: LlvmType<'a>, value: Value<'a>) -> Value<'a> {
    if value.ty() == register { value } else { body.builder.trunc(value, register) }
}

/// OpCopyMemory.
pub(crate) fn op_copy_memory(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let ty = body.pointee(instruction, 0)?;
    let size = body.unit.layouts.size_of(ty).ok_or_else(|| Refusal::new("the type has no size"))?;
    let bytes = body.unit.context.int_type(64).const_int(size);
    let natural = element_alignment(body, ty);
    copy(body, instruction, 2, bytes, natural)
}

/// OpCopyMemorySized.
pub(crate) fn op_copy_memory_sized(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let bytes = body.operand(instruction, 2)?;
    let i64_type = body.unit.context.int_type(64);
    let bytes = if bytes.ty() == i64_type { bytes } else { body.builder.zext(bytes, i64_type) };
    copy(body, instruction, 3, bytes, 1)
}

/// Copies; memory operands start at operand `access`: one set for both sides, or one for each, the target's first.
fn copy<'a>(
    body: &mut Body<'_, 'a>,
    instruction: &Instruction,
    access: usize,
    bytes: Value<'a>,
    natural: u32,
) -> Result<()> {
    let (to, from) = (body.operand(instruction, 0)?, body.operand(instruction, 1)?);
    let operands = instruction.operands(body.unit.module).get(access..).unwrap_or(&[]);
    let (target, count) = Access::read(operands);
    let second = operands.get(count..).unwrap_or(&[]);
    let source = if second.is_empty() { target } else { Access::read(second).0 };
    let (to, from) = ((to, target.alignment(to, natural)), (from, source.alignment(from, natural)));
    // Source and target may be the same object, which `memcpy` is not made for.
    if target.volatile || source.volatile {
        volatile_move(body, to, from, bytes)?;
    } else {
        body.builder.memmove(to, from, bytes);
    }
    Ok(())
}

fn volatile_move<'a>(
    body: &Body<'_, 'a>,
    to: (Value<'a>, u32),
    from: (Value<'a>, u32),
    bytes: Value<'a>,
) -> Result<Value<'a>> {
    let context = body.unit.context;
    let overloads = [to.0.ty(), from.0.ty(), bytes.ty()];
    let yes = context.int_type(1).const_int(1);
    let call = body.intrinsic("llvm.memmove", &overloads, &[to.0, from.0, bytes, yes])?;
    for (index, align) in [(0, to.1), (1, from.1)] {
        body.unit.add_attribute(call, oxicl_llvm::Place::Parameter(index), "align", u64::from(align));
    }
    Ok(call)
}

/// OpLifetimeStart and OpLifetimeStop: hints. Variables whose address escapes nowhere become registers without them.
pub(crate) fn op_lifetime(_: &mut Body<'_, '_>, _: &Instruction) -> Result<()> {
    Ok(())
}

/// OpMaskedGatherINTEL: loads where the mask is set; elsewhere from a place of our own, whose value is not used.
pub(crate) fn op_masked_gather(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let (pointers, mask) = (body.operand(instruction, 0)?, body.operand(instruction, 2)?);
    let (fill, ty) = (body.operand(instruction, 3)?, body.result_type(instruction)?);
    let component = component(body, body.result_ref(instruction)?)?;
    let access = Access { align: body.word(instruction, 1)?, ..Access::default() };
    let spare = spare(body, component, pointers)?;
    let mut result = ty.zero();
    for lane in 0..ty.length() {
        let lane = body.index(lane);
        let active = body.builder.extract_element(mask, lane);
        let pointer = body.builder.select(active, body.builder.extract_element(pointers, lane), spare);
        let loaded = load(body, component, pointer, access)?;
        let other = if fill.ty().is_vector() { body.builder.extract_element(fill, lane) } else { fill };
        let value = body.builder.select(active, loaded, other);
        result = body.builder.insert_element(result, value, lane);
    }
    body.define(instruction, result)
}

/// OpMaskedScatterINTEL: stores where the mask is set; elsewhere to a place of our own.
pub(crate) fn op_masked_scatter(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let (values, pointers) = (body.operand(instruction, 0)?, body.operand(instruction, 1)?);
    let mask = body.operand(instruction, 3)?;
    let component = component(body, body.operand_ref(instruction, 0)?)?;
    let access = Access { align: body.word(instruction, 2)?, ..Access::default() };
    let spare = spare(body, component, pointers)?;
    for lane in 0..values.ty().length() {
        let lane = body.index(lane);
        let active = body.builder.extract_element(mask, lane);
        let pointer = body.builder.select(active, body.builder.extract_element(pointers, lane), spare);
        let value = body.builder.extract_element(values, lane);
        store(body, component, value, pointer, access)?;
    }
    Ok(())
}

/// The component type of a vector type.
fn component(body: &Body<'_, '_>, ty: TypeRef) -> Result<TypeRef> {
    match body.unit.module.ty(ty) {
        Type::Vector { component, .. } => Ok(*component),
        _ => Err(Refusal::new("there is no vector")),
    }
}

/// Memory for a value that nobody wants, as one of `pointers` could point to it.
fn spare<'a>(body: &mut Body<'_, 'a>, ty: TypeRef, pointers: Value<'a>) -> Result<Value<'a>> {
    let memory = body.unit.ty(ty)?.memory;
    let align = body.unit.layouts.align_of(ty).unwrap_or(1) as u32;
    let pointer = pointers.ty().scalar();
    body.in_prologue(|body| {
        let variable = body.builder.alloca(memory, align);
        body.builder.store(memory.zero(), variable, align);
        Ok(if variable.ty() == pointer { variable } else { body.builder.addrspace_cast(variable, pointer) })
    })
}
