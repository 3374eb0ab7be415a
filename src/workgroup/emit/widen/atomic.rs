//! Atomic operations of a gang on one address, as their recipes say: the lanes' values are combined, and memory is changed once.

use oxicl_llvm::{IntPredicate, Ordering, RmwOp, Value};

use crate::emit::atomic::{change, combined};
use crate::emit::collective;
use crate::emit::widen::region::Widener;
use crate::failure::{Failure, failure};
use crate::ir::{Inst, InstId};
use crate::recipe::{Atomic, Change, Places};

impl<'m> Widener<'_, '_, 'm> {
    /// The lanes of the mask change memory in order. Where they change one place, memory is changed once.
    pub(crate) fn atomic(
        &mut self,
        id: InstId,
        Atomic { places, change }: Atomic,
        mask: Option<Value<'m>>,
    ) -> Result<Vec<Value<'m>>, Failure> {
        let inst = self.function.inst(id);
        let of_lanes = inst.operands[1..].iter().map(|operand| self.components(*operand));
        let operands: Vec<_> = of_lanes.collect::<Result<Vec<_>, _>>()?.concat();
        let (b, at) = (self.b, inst.operands[0]);
        if places == Places::One {
            return self.at_one_place(inst, change, self.first(at)?, &operands, mask);
        }
        let pointers = self.component(at)?;
        // Before control diverges, as both may need them.
        let stored = self.operands(&inst.operands)?;
        let alone = || self.copied_by_lane(id, &stored, mask);
        let (first, here) = self.in_steps(pointers, mask, 0);
        let here = self.bits(here);
        let all = mask.map_or(here.ty().all_ones(), |mask| self.bits(mask));
        let one_place = b.and(b.icmp(IntPredicate::Eq, here, all), b.trunc(all, b.context().int_type(1)));
        let together = || self.at_one_place(inst, change, first, &operands, mask);
        self.either(b.not(one_place), false, together, alone)
    }

    /// The lanes of the mask change one place in order, all at once.
    fn at_one_place(
        &self,
        inst: &Inst<'m>,
        how: Change,
        pointer: Value<'m>,
        operands: &[Value<'m>],
        mask: Option<Value<'m>>,
    ) -> Result<Vec<Value<'m>>, Failure> {
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
                let nothing = self.splat(collective::neutral(by, old.ty()));
                let up_to = self.scan(by, values, nothing);
                let found = change(b, old, op, pointer, self.last(up_to));
                Ok(vec![combined(b, op, self.splat(found), self.shifted(up_to, nothing, 1))])
            }
            (Change::InTurn(op), _) => self.in_turn(inst, op, pointer, operands, mask),
            _ => failure("an atomic operation of another form"),
        }
    }

    /// The lanes of the mask change one place one after the other, in a copy of what is there; it becomes what the last one
    /// made of the copy if nobody has changed it meanwhile, else all begin again. `op` if it is no compare-exchange. One atomic
    /// instruction for all lanes, as several threads at one place are much slower than one.
    fn in_turn(
        &self,
        inst: &Inst<'m>,
        op: Option<RmwOp>,
        pointer: Value<'m>,
        operands: &[Value<'m>],
        mask: Option<Value<'m>>,
    ) -> Result<Vec<Value<'m>>, Failure> {
        let old = *inst.llvm;
        let [first, ..] = operands else { return failure("an atomic operation without a value") };
        let ty = first.ty().scalar();
        let (b, wide) = (self.b, self.e.module.size_of(ty) as u32 * 8);
        let bits = b.context().int_type(wide);
        let stored: Vec<_> = operands.iter().map(|component| self.in_memory(*component)).collect();
        let types = self.vectors_of(&inst.ty)?;
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
