//! Section 3.49.20, named barriers: calls that the work-group stage answers. A named barrier is a number of 64 bits.

use oxicl_llvm::{Type as LlvmType, Value};
use oxicl_ops::{NamedBarrier, Operation};
use oxicl_spirv::Instruction;

use crate::barrier::scope_and_semantics;
use crate::body::Body;
use crate::conversion::resize;
use crate::refusal::Result;
use crate::unit::Effects;

/// OpNamedBarrierInitialize, which the work-items of a work-group come to together.
pub(crate) fn op_named_barrier_initialize(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let context = body.unit.context;
    let wanted = body.operand(instruction, 0)?;
    let wanted = resize(body, wanted, context.int_type(32), false);
    let barrier = call(body, NamedBarrier::Make, context.int_type(64), &[wanted]);
    body.define(instruction, barrier)
}

/// OpMemoryNamedBarrier: the barrier, memory scope and semantics. Work-items of a sub-group come to it together.
pub(crate) fn op_memory_named_barrier(body: &mut Body<'_, '_>, instruction: &Instruction) -> Result<()> {
    let barrier = body.operand(instruction, 0)?;
    let [scope, semantics] = scope_and_semantics(body, instruction, 1);
    call(body, NamedBarrier::Wait, body.unit.context.void_type(), &[barrier, scope, semantics]);
    Ok(())
}

fn call<'a>(body: &Body<'_, 'a>, operation: NamedBarrier, result: LlvmType<'a>, arguments: &[Value<'a>]) -> Value<'a> {
    body.call_operation(&Operation::NamedBarrier(operation).name(), result, arguments, Effects::Barrier)
}
