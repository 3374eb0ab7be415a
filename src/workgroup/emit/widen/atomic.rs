//! Atomic operations of a gang on one address: the lanes' values are combined, and memory is changed once.

use oxicl_llvm::{IntPredicate, Opcode, Ordering, RmwOp, Type, Value};

use crate::emit::atomic::{change, combined, is_plain};
use crate::emit::components::components_of;
use crate::emit::widen::region::Widener;
use crate::failure::{Failure, failure};
use crate::ir::{Inst, InstId};
use crate::recipe::{LOCAL, Places};

impl<'m> Widener<'_, '_, 'm> {
    /// The lanes of the mask change memory in order. Where they change one place, memory is changed once.
    pub(crate) fn atomic(
        &mut self,
        id: InstId,
        places: Places,
        mask: Option<Value<'m>>,
    ) -> Result<Vec<Value<'m>>, Failure> {
        let inst = self.function.inst(id);
        let of_lanes = inst.operands[1..].iter().map(|operand| self.components(*operand));
        let operands: Vec<_> = of_lanes.collect::<Result<Vec<_>, _>>()?.concat();
        let (b, at) = (self.b, inst.operands[0]);
        if places == Places::One {
            return match self.at_one_place(inst, self.first(at)?, &operands, mask)? {
                Some(results) => Ok(results),
                None => self.by_lane(id, mask),
            };
        }
        let pointers = self.component(at)?;
        // Before control diverges, as both may need them.
        let stored = self.operands(&inst.operands)?;
        let alone = || self.copied_by_lane(id, &stored, mask);
        let (first, here) = self.in_steps(pointers, mask, 0);
        let here = self.bits(here);
        let all = mask.map_or(here.ty().all_ones(), |mask| self.bits(mask));
        let one_place = b.and(b.icmp(IntPredicate::Eq, here, all), b.trunc(all, b.context().int_type(1)));
        let together = || match self.at_one_place(inst, first, &operands, mask)? {
            Some(results) => Ok(results),
            None => alone(),
        };
        self.either(b.not(one_place), false, together, alone)
    }

    /// The lanes of the mask change one place in order, all at once. `None` where the result depends on more than that order.
    fn at_one_place(
        &self,
        inst: &Inst<'m>,
        pointer: Value<'m>,
        operands: &[Value<'m>],
        mask: Option<Value<'m>>,
    ) -> Result<Option<Vec<Value<'m>>>, Failure> {
        let old = *inst.llvm;
        let op = old.rmw_op().filter(|_| inst.opcode == Opcode::AtomicRmw);
        let reduction = op.filter(|_| old.ty().is_int() && old.ty().int_width() <= 64).and_then(reduction);
        let (Some(op), Some((join, name)), [values]) = (op, reduction, operands) else {
            return self.in_turn(inst, op, pointer, operands, mask);
        };
        let b = self.b;
        let nothing = self.splat(neutral(join, old.ty()));
        let values = mask.map_or(*values, |mask| b.select(mask, *values, nothing));
        let Some(reduce) = self.e.module.intrinsic(name, &[values.ty()]) else { return Ok(None) };
        if !old.has_uses() {
            change(b, old, op, pointer, b.call(reduce, &[values]));
            return Ok(Some(vec![values.ty().poison()]));
        }
        // What each lane finds is what was there, changed by the lanes before it.
        let up_to = self.scan(values, nothing, |before, own| combined(b, join, before, own));
        let last = b.extract_element(up_to, b.context().int_type(64).const_int(u64::from(self.lanes) - 1));
        let found = change(b, old, op, pointer, last);
        Ok(Some(vec![combined(b, op, self.splat(found), self.shifted(up_to, nothing, 1))]))
    }

    /// The lanes of the mask change one place one after the other, in a copy of what is there; it becomes what the last one
    /// made of the copy if nobody has changed it meanwhile, else all begin again. `op` if it is no compare-exchange. One atomic
    /// instruction for all lanes, as several threads at one place are much slower than one. `None` where lanes are better off
    /// alone.
    fn in_turn(
        &self,
        inst: &Inst<'m>,
        op: Option<RmwOp>,
        pointer: Value<'m>,
        operands: &[Value<'m>],
        mask: Option<Value<'m>>,
    ) -> Result<Option<Vec<Value<'m>>>, Failure> {
        let old = *inst.llvm;
        let [first, ..] = operands else { return Ok(None) };
        let ty = first.ty().scalar();
        let has_form = inst.opcode == Opcode::AtomicCmpXchg || op.is_some_and(is_plain);
        if !has_form || pointer.ty().address_space() == LOCAL || !(ty.is_int() || ty.is_float()) {
            return Ok(None);
        }
        let (b, wide) = (self.b, self.e.module.size_of(ty) as u32 * 8);
        let bits = b.context().int_type(wide);
        if ty.is_int() && ty.int_width() != wide {
            return Ok(None);
        }
        let stored: Vec<_> = operands.iter().map(|component| self.in_memory(*component)).collect();
        let types: Vec<_> = components_of(old.ty())?.into_iter().map(|component| self.vector(component)).collect();
        let copy = self.e.frame.alloca(ty, 0);
        let Some(before) = b.block() else { return failure("no place to write to") };
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
            let (next, results) = match (op, own.as_slice()) {
                (Some(op), [value]) => (combined(b, op, now, *value), vec![now]),
                (None, [expected, new]) => {
                    let equal = b.icmp(IntPredicate::Eq, now, *expected);
                    (b.select(equal, *new, now), vec![now, equal])
                }
                _ => return failure("an atomic operation of another form"),
            };
            b.store(next, copy, 0);
            Ok(results)
        })?;
        let failure_ordering = if op.is_some() { old.ordering().of_reads() } else { old.failure_ordering() };
        let orderings = (old.ordering(), failure_ordering);
        let pair = b.atomic_cmpxchg(pointer, found, b.load(bits, copy, 0), orderings, old.sync_scope());
        let Some(end) = b.block() else { return failure("no place to write to") };
        found.add_incoming(b.extract_value(pair, 0), end);
        b.cond_br(b.extract_value(pair, 1), done, again);
        b.position_at_end(done);
        let Some(_) = mask else { return Ok(Some(results)) };
        let joined = results.into_iter().map(|result| {
            let joined = b.phi(result.ty());
            joined.add_incoming(result, end);
            joined.add_incoming(result.ty().poison(), before);
            joined
        });
        Ok(Some(joined.collect()))
    }

    /// In each lane, the values of the lanes up to it joined.
    pub(crate) fn scan(
        &self,
        values: Value<'m>,
        nothing: Value<'m>,
        join: impl Fn(Value<'m>, Value<'m>) -> Value<'m>,
    ) -> Value<'m> {
        let mut result = values;
        let mut distance = 1;
        while distance < self.lanes {
            result = join(self.shifted(result, nothing, distance), result);
            distance *= 2;
        }
        result
    }

    /// In each lane, the value of that `distance` lanes before; `nothing` where there is none.
    pub(crate) fn shifted(&self, values: Value<'m>, nothing: Value<'m>, distance: u32) -> Value<'m> {
        let from = |lane: u32| Some(if lane < distance { lane } else { self.lanes + lane - distance });
        let order: Vec<_> = (0..self.lanes).map(from).collect();
        self.b.shuffle(nothing, values, &order)
    }
}

/// How the values of lanes combine before memory is changed by them, and LLVM's reduction that does it.
fn reduction(op: RmwOp) -> Option<(RmwOp, &'static str)> {
    Some(match op {
        // What several subtract is their sum.
        RmwOp::Add | RmwOp::Sub => (RmwOp::Add, "llvm.vector.reduce.add"),
        RmwOp::And => (op, "llvm.vector.reduce.and"),
        RmwOp::Or => (op, "llvm.vector.reduce.or"),
        RmwOp::Xor => (op, "llvm.vector.reduce.xor"),
        RmwOp::Max => (op, "llvm.vector.reduce.smax"),
        RmwOp::Min => (op, "llvm.vector.reduce.smin"),
        RmwOp::UMax => (op, "llvm.vector.reduce.umax"),
        RmwOp::UMin => (op, "llvm.vector.reduce.umin"),
        _ => return None,
    })
}

/// What changes nothing that it is combined with.
fn neutral(op: RmwOp, ty: Type<'_>) -> Value<'_> {
    let sign = 1u64 << (ty.int_width() - 1);
    match op {
        RmwOp::And | RmwOp::UMin => ty.all_ones(),
        RmwOp::Max => ty.const_int(sign),
        RmwOp::Min => ty.const_int(sign - 1),
        _ => ty.zero(),
    }
}
