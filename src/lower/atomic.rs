//! Section 3.49.18, atomics: LLVM's own. Operand 0 is the pointer, 1 the scope, 2 the memory semantics.

use oxicl_llvm::{IntPredicate, Ordering, RmwOp, Value};
use oxicl_spirv::Instruction;
use oxicl_validate::order_as_scope;

use crate::aliasing;
use crate::barrier::{ordering, ordering_of, sync_scope};
use crate::body::Body;
use crate::refusal::Result;

/// OpAtomicLoad.
pub(crate) fn op_atomic_load(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let pointer = body.operand(instruction, 0)?;
    let ty = body.result_ref(instruction)?;
    let align = body.unit.layouts.align_of(ty).unwrap_or(1) as u32;
    let load = body.builder.load(body.unit.ty(ty)?.register, pointer, align);
    let constants = body.constant(instruction, 1).zip(body.constant(instruction, 2));
    let ordering = match constants.and_then(|(scope, semantics)| order_as_scope(scope, semantics)) {
        Some(semantics) => ordering_of(semantics),
        None => ordering(body, instruction, 2),
    };
    load.set_ordering(ordering.of_reads(), sync_scope(body, instruction, 1));
    aliasing::mark_decorated(body, instruction, load);
    body.define(instruction, load)
}

/// A store cannot acquire.
fn store_ordering(ordering: Ordering) -> Ordering {
    match ordering {
        Ordering::AcquireRelease => Ordering::Release,
        Ordering::Acquire => Ordering::Monotonic,
        other => other,
    }
}

/// OpAtomicStore.
pub(crate) fn op_atomic_store(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let (pointer, value) = (body.operand(instruction, 0)?, body.operand(instruction, 3)?);
    let ty = body.operand_ref(instruction, 3)?;
    let align = body.unit.layouts.align_of(ty).unwrap_or(1) as u32;
    let store = body.builder.store(value, pointer, align);
    store.set_ordering(store_ordering(ordering(body, instruction, 2)), sync_scope(body, instruction, 1));
    Ok(())
}

/// The instructions that read, combine with operand 3, write, and give what was read.
pub(crate) fn op_atomic_rmw(body: &mut Body<'_, '_>, instruction: &Instruction, op: RmwOp) -> Result<()> {
    let value = body.operand(instruction, 3)?;
    let old = rmw(body, instruction, op, value)?;
    body.define(instruction, old)
}

/// OpAtomicIIncrement.
pub(crate) fn op_atomic_i_increment(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let one = body.result_type(instruction)?.const_int(1);
    let old = rmw(body, instruction, RmwOp::Add, one)?;
    body.define(instruction, old)
}

/// OpAtomicIDecrement.
pub(crate) fn op_atomic_i_decrement(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let one = body.result_type(instruction)?.const_int(1);
    let old = rmw(body, instruction, RmwOp::Sub, one)?;
    body.define(instruction, old)
}

fn rmw<'a>(body: &mut Body<'_, 'a>, instruction: &Instruction, op: RmwOp, value: Value<'a>) -> Result<Value<'a>> {
    let pointer = body.operand(instruction, 0)?;
    let (ordering, scope) = (ordering(body, instruction, 2), sync_scope(body, instruction, 1));
    let old = body.builder.atomic_rmw(op, pointer, value, ordering, scope);
    aliasing::mark_decorated(body, instruction, old);
    Ok(old)
}

/// OpAtomicCompareExchange and its weak form, which may be as strong: gives what was read.
pub(crate) fn op_atomic_compare_exchange(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let pointer = body.operand(instruction, 0)?;
    let (new, expected) = (body.operand(instruction, 4)?, body.operand(instruction, 5)?);
    let success = ordering(body, instruction, 2);
    let failure = ordering(body, instruction, 3).of_reads();
    let scope = sync_scope(body, instruction, 1);
    let pair = body.builder.atomic_cmpxchg(pointer, expected, new, (success, failure), scope);
    aliasing::mark_decorated(body, instruction, pair);
    let old = body.builder.extract_value(pair, 0);
    body.define(instruction, old)
}

/// OpAtomicFlagTestAndSet.
pub(crate) fn op_atomic_flag_test_and_set(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let one = body.unit.context.int_type(32).const_int(1);
    let old = rmw(body, instruction, RmwOp::Xchg, one)?;
    let set = body.builder.icmp(IntPredicate::Ne, old, old.ty().zero());
    body.define(instruction, set)
}

/// OpAtomicFlagClear.
pub(crate) fn op_atomic_flag_clear(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let pointer = body.operand(instruction, 0)?;
    let store = body.builder.store(body.unit.context.int_type(32).zero(), pointer, 4);
    store.set_ordering(store_ordering(ordering(body, instruction, 2)), sync_scope(body, instruction, 1));
    Ok(())
}
