//! Atomic operations on local memory without atomic instructions: a work-group never leaves its thread, and nobody else
//! sees its local memory.

use oxicl_llvm::{Builder, IntPredicate, Opcode, RmwOp, Value};

use crate::recipe::{LOCAL, is_plain};

/// Reads, changes and writes memory as `old` does, with other operands; gives what was read.
pub(crate) fn change<'m>(
    b: &Builder<'m>,
    old: Value<'m>,
    op: RmwOp,
    pointer: Value<'m>,
    value: Value<'m>,
) -> Value<'m> {
    if pointer.ty().address_space() == LOCAL && !old.is_volatile() && is_plain(op) {
        let before = b.load(value.ty(), pointer, old.alignment());
        b.store(combined(b, op, before, value), pointer, old.alignment());
        return before;
    }
    b.atomic_rmw(op, pointer, value, old.ordering(), old.sync_scope())
}

/// A copy of an atomic operation on local memory, if it needs no atomic instruction.
pub(crate) fn copy_local<'m>(b: &Builder<'m>, old: Value<'m>, operands: &[Value<'m>]) -> Option<Value<'m>> {
    let is_local = operands.first()?.ty().address_space() == LOCAL && !old.is_volatile();
    match (old.opcode()?, operands) {
        (Opcode::AtomicRmw, [pointer, value]) if is_local => {
            let op = old.rmw_op().filter(|op| is_plain(*op))?;
            Some(change(b, old, op, *pointer, *value))
        }
        (Opcode::AtomicCmpXchg, [pointer, expected, new]) if is_local => {
            let align = old.alignment();
            let before = b.load(new.ty(), *pointer, align);
            let equal = b.icmp(IntPredicate::Eq, before, *expected);
            b.store(b.select(equal, *new, before), *pointer, align);
            Some(b.insert_value(b.insert_value(old.ty().poison(), before, 0), equal, 1))
        }
        _ => None,
    }
}

/// What an atomic operation that [is plain](is_plain) stores where `old` was; also for vectors.
pub(crate) fn combined<'m>(b: &Builder<'m>, op: RmwOp, old: Value<'m>, value: Value<'m>) -> Value<'m> {
    let better = |predicate| b.select(b.icmp(predicate, old, value), old, value);
    match op {
        RmwOp::Add => b.add(old, value),
        RmwOp::Sub => b.sub(old, value),
        RmwOp::And => b.and(old, value),
        RmwOp::Nand => b.not(b.and(old, value)),
        RmwOp::Or => b.or(old, value),
        RmwOp::Xor => b.xor(old, value),
        RmwOp::Max => better(IntPredicate::Sgt),
        RmwOp::Min => better(IntPredicate::Slt),
        RmwOp::UMax => better(IntPredicate::Ugt),
        RmwOp::UMin => better(IntPredicate::Ult),
        RmwOp::FAdd => b.fadd(old, value),
        RmwOp::FSub => b.fsub(old, value),
        _ => value,
    }
}
