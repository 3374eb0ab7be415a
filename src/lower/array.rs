//! Arrays of variable length (SPV_INTEL_variable_length_array): each function that has some takes them from memory of a
//! fixed size, so that later stages know how much a work-item needs.

use oxicl_llvm::{GepFlags, IntPredicate, Value};
use oxicl_spirv::Instruction;

use crate::body::Body;
use crate::refusal::{Refusal, Result};

/// Bytes for the arrays of a function that are there at a time. An array that finds too little is undefined behaviour by
/// the extension; here it starts at the start, so that at least its first elements are memory of the function.
const BYTES: u64 = 32 << 10;
/// The largest alignment that an element can have, in bytes.
const ALIGN: u32 = 128;

/// The memory of this function, and the variable that says how much of it is taken.
fn memory<'a>(body: &mut Body<'_, 'a>) -> Result<(Value<'a>, Value<'a>)> {
    if let Some(arrays) = body.arrays {
        return Ok(arrays);
    }
    let context = body.unit.context;
    let arrays = body.in_prologue(|body| {
        let memory = body.builder.alloca(context.int_type(8).array(BYTES), ALIGN);
        if body.unit.zero_private {
            crate::memory::zero(body, memory, ALIGN, BYTES);
        }
        let taken = body.builder.alloca(context.int_type(64), 8);
        body.builder.store(context.int_type(64).zero(), taken, 8);
        Ok((memory, taken))
    })?;
    body.arrays = Some(arrays);
    Ok(arrays)
}

/// OpVariableLengthArrayINTEL.
pub(crate) fn op_variable_length_array(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let (memory, taken) = memory(body)?;
    let pointee = body.pointee_of(body.result_ref(instruction)?)?;
    let layout = body.unit.layouts.get(pointee).ok_or_else(|| Refusal::new("the elements have no size"))?;
    let word = body.unit.context.int_type(64);
    let length = body.operand(instruction, 0)?;
    let length = crate::conversion::resize(body, length, word, false);
    let b = &body.builder;
    let constant = |number: u64| word.const_int(number);
    let start = b.load(word, taken, 8);
    let align = layout.align.min(u64::from(ALIGN));
    let start = b.and(b.add(start, constant(align - 1)), constant(!(align - 1)));
    // More elements than fit are not counted, so that no multiplication wraps.
    let room = b.udiv(b.sub(constant(BYTES + u64::from(ALIGN)), start), constant(layout.size.max(1)));
    let fits = b.icmp(IntPredicate::Ule, length, room);
    let bytes = b.mul(b.select(fits, length, constant(0)), constant(layout.size));
    let end = b.add(start, bytes);
    let fits = b.and(fits, b.icmp(IntPredicate::Ule, end, constant(BYTES)));
    let start = b.select(fits, start, constant(0));
    b.store(b.select(fits, end, constant(BYTES)), taken, 8);
    let array = b.gep(body.unit.context.int_type(8), memory, &[start], GepFlags::NONE);
    body.define(instruction, array)
}

/// OpSaveMemoryINTEL: the end of what is taken.
pub(crate) fn op_save_memory(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let (memory, taken) = memory(body)?;
    let end = body.builder.load(body.unit.context.int_type(64), taken, 8);
    let pointer = body.builder.gep(body.unit.context.int_type(8), memory, &[end], GepFlags::NONE);
    body.define(instruction, pointer)
}

/// OpRestoreMemoryINTEL: what was taken since is free again.
pub(crate) fn op_restore_memory(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let (memory, taken) = memory(body)?;
    let pointer = body.operand(instruction, 0)?;
    let word = body.unit.context.int_type(64);
    let b = &body.builder;
    let end = b.sub(b.ptr_to_int(pointer, word), b.ptr_to_int(memory, word));
    // A pointer from elsewhere frees nothing.
    let inside = b.icmp(IntPredicate::Ule, end, word.const_int(BYTES));
    b.store(b.select(inside, end, b.load(word, taken, 8)), taken, 8);
    Ok(())
}
