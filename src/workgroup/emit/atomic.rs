//! Atomic operations of single work-items, and of gangs on one address, as their recipes say.
//!
//! On local memory, operations that have a plain form take no atomic instructions: a work-group never leaves its
//! thread, and nobody else sees its local memory. Lanes of a gang that change one place combine their values, and
//! memory is changed once.

use oxicl_llvm::{Builder, IntPredicate, Opcode, Ordering, RmwOp, Value};

use crate::emit::combine::neutral;
use crate::emit::widen::{Active, UNKNOWN, Widener};
use crate::failure::{OrFail, Result, failure};
use crate::ir::{Inst, InstId, space};
use crate::recipe::{Atomic, Change, Places, is_plain};

/// The new content of a place, and the results of the operation that changes it.
struct Step<'m> {
    next: Value<'m>,
    results: Vec<Value<'m>>,
}

/// An operation on a place that holds `now` and that nobody else changes; `op` is `None` for a compare-exchange.
fn step<'m>(b: &Builder<'m>, op: Option<RmwOp>, now: Value<'m>, operands: &[Value<'m>]) -> Option<Step<'m>> {
    Some(match (op, operands) {
        (Some(op), [value]) => Step { next: combined(b, op, now, *value), results: vec![now] },
        (None, [expected, new]) => {
            let equal = b.icmp(IntPredicate::Eq, now, *expected);
            Step { next: b.select(equal, *new, now), results: vec![now, equal] }
        }
        _ => return None,
    })
}

/// Reads, changes and writes memory with the ordering and scope of `old`; gives what was read.
fn change<'m>(b: &Builder<'m>, old: Value<'m>, op: RmwOp, pointer: Value<'m>, value: Value<'m>) -> Value<'m> {
    let local = || change_local(b, old, Some(op), &[pointer, value]);
    match is_plain(op).then(local).flatten() {
        Some(before) => before,
        None => b.atomic_rmw(op, pointer, value, old.ordering(), old.sync_scope()),
    }
}

/// A copy of an atomic operation on local memory, if it needs no atomic instruction.
pub(crate) fn copy_local<'m>(b: &Builder<'m>, old: Value<'m>, operands: &[Value<'m>]) -> Option<Value<'m>> {
    match old.opcode()? {
        Opcode::AtomicRmw => change_local(b, old, Some(old.rmw_op().filter(|op| is_plain(*op))?), operands),
        Opcode::AtomicCmpXchg => change_local(b, old, None, operands),
        _ => None,
    }
}

/// The same for an operation that [is plain](is_plain), or for a compare-exchange if `op` is `None`.
fn change_local<'m>(b: &Builder<'m>, old: Value<'m>, op: Option<RmwOp>, operands: &[Value<'m>]) -> Option<Value<'m>> {
    let [pointer, operands @ ..] = operands else { return None };
    if pointer.ty().address_space() != space::LOCAL || old.is_volatile() {
        return None;
    }
    let align = old.alignment();
    let Step { next, results } = step(b, op, b.load(operands.last()?.ty(), *pointer, align), operands)?;
    b.store(next, *pointer, align);
    match results[..] {
        [before, equal] => Some(b.insert_value(b.insert_value(old.ty().poison(), before, 0), equal, 1)),
        _ => results.first().copied(),
    }
}

/// What an atomic operation that [is plain](is_plain) stores where `old` was; also for vectors.
fn combined<'m>(b: &Builder<'m>, op: RmwOp, old: Value<'m>, value: Value<'m>) -> Value<'m> {
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

impl<'m> Widener<'_, '_, 'm> {
    /// The lanes of the mask change memory in order. Where they change one place, memory is changed once.
    pub(crate) fn atomic(
        &mut self,
        id: InstId,
        Atomic { places, change }: Atomic,
        mask: Active<'m>,
    ) -> Result<Vec<Value<'m>>> {
        let inst = self.function.inst(id);
        let of_lanes = inst.operands[1..].iter().map(|operand| self.components(*operand));
        let operands: Vec<_> = of_lanes.collect::<Result<Vec<_>, _>>()?.concat();
        let (b, at) = (self.b, inst.operands[0]);
        if places == Places::One {
            return self.at_one_place(inst, change, self.first(at)?, &operands, mask);
        }
        let pointers = self.component(at)?;
        // Stored before the branch, for the way that takes lane by lane.
        let stored = self.operands(&inst.operands)?;
        let alone = || self.copied_by_lane(id, &[], &stored, mask);
        let (first, here) = self.in_steps(pointers, mask, 0);
        let here = self.bits(here);
        let all = mask.map_or(here.ty().all_ones(), |mask| self.bits(mask));
        let one_place = b.and(b.icmp(IntPredicate::Eq, here, all), b.trunc(all, b.context().int_type(1)));
        let together = || self.at_one_place(inst, change, first, &operands, mask);
        self.either(b.not(one_place), UNKNOWN, together, alone)
    }

    /// The lanes of the mask change one place at once, as if in order.
    fn at_one_place(
        &self,
        inst: &Inst<'m>,
        how: Change,
        pointer: Value<'m>,
        operands: &[Value<'m>],
        mask: Active<'m>,
    ) -> Result<Vec<Value<'m>>> {
        let (b, old) = (self.b, *inst.llvm);
        match (how, operands) {
            (Change::Combined { op, by }, [values]) => {
                let values = self.masked(by, *values, mask);
                change(b, old, op, pointer, self.reduced_by_machine(by, values)?);
                Ok(vec![values.ty().poison()])
            }
            // What each lane finds is what was there, changed by the lanes before it.
            (Change::Scanned { op, by }, [values]) => {
                let values = self.masked(by, *values, mask);
                let nothing = self.splat(neutral(by, old.ty()));
                let up_to = self.scan(by, values, nothing);
                let found = change(b, old, op, pointer, self.last(up_to));
                Ok(vec![combined(b, op, self.splat(found), self.shifted(up_to, nothing, 1))])
            }
            (Change::InTurn(op), _) => self.in_turn(inst, op, pointer, operands, mask),
            _ => failure("an atomic operation of another form"),
        }
    }

    /// The lanes of the mask change one place one after the other, in a copy of its content. The copy is stored if
    /// nobody has changed the place meanwhile; otherwise all lanes begin again. `op` is `None` for a compare-exchange.
    /// All lanes share one atomic instruction, since several threads at one place are much slower than one.
    fn in_turn(
        &self,
        inst: &Inst<'m>,
        op: Option<RmwOp>,
        pointer: Value<'m>,
        operands: &[Value<'m>],
        mask: Active<'m>,
    ) -> Result<Vec<Value<'m>>> {
        let old = *inst.llvm;
        let [first, ..] = operands else { return failure("an atomic operation without a value") };
        let ty = first.ty().scalar();
        let (b, wide) = (self.b, self.e.module.size_of(ty) as u32 * 8);
        let bits = b.context().int_type(wide);
        let stored: Vec<_> = operands.iter().map(|component| self.in_memory(*component)).collect();
        let types = self.vectors_of(&inst.ty)?;
        let copy = self.e.frame.alloca(ty, 0);
        let before = self.e.here()?;
        let (start, again, done) = (self.e.block("turns"), self.e.block(""), self.e.block(""));
        match mask {
            Some(mask) => b.cond_br(self.any(mask), start, done),
            None => b.br(start),
        };
        b.position_at_end(start);
        let first = b.load(bits, pointer, wide / 8);
        first.set_ordering(Ordering::Monotonic, old.sync_scope());
        b.br(again);
        b.position_at_end(again);
        let found = b.phi(bits);
        found.add_incoming(first, start);
        b.store(found, copy, 0);
        let results = self.each_lane(mask, &types, |widener, lane| {
            let now = b.load(ty, copy, 0);
            let own: Vec<_> = stored.iter().map(|component| widener.lane_of(*component, lane)).collect();
            let step = step(b, op, now, &own).or_fail("an atomic operation of another form")?;
            b.store(step.next, copy, 0);
            Ok(step.results)
        })?;
        let failure_ordering = if op.is_some() { old.ordering().of_reads() } else { old.failure_ordering() };
        let orderings = (old.ordering(), failure_ordering);
        let pair = b.atomic_cmpxchg(pointer, found, b.load(bits, copy, 0), orderings, old.sync_scope());
        let end = self.e.here()?;
        found.add_incoming(b.extract_value(pair, 0), end);
        b.cond_br(b.extract_value(pair, 1), done, again);
        b.position_at_end(done);
        let Some(_) = mask else { return Ok(results) };
        let joined = results.into_iter().map(|result| {
            let joined = b.phi(result.ty());
            joined.add_incoming(result, end);
            joined.add_incoming(result.ty().poison(), before);
            joined
        });
        Ok(joined.collect())
    }
}
