//! How far the work-items of a row agree on the guards of a region, computed where a stretch begins.

use std::collections::HashMap;

use oxicl_llvm::{Builder, IntPredicate, Opcode, Type, Value};

use crate::analyse::guards::{Bound, Guards, Term};
use crate::emit::copy::{Mapped, without_promises};
use crate::emit::kernel::Emitter;
use crate::emit::places::{Places, minimum};
use crate::emit::vector::resized;
use crate::failure::{OrFail, Result, failure};
use crate::ir::{InstId, Kind, Operand};

/// A stretch of a row: consecutive work-items for which all comparisons of the guards have the same results.
pub(crate) struct Stretch<'m> {
    /// How many work-items, as an integer of 64 bits that is at most 2^63 - 1.
    pub(crate) items: Value<'m>,
    /// The results of the comparisons.
    pub(crate) truths: HashMap<InstId, Value<'m>>,
}

/// More work-items than any row has.
const ENDLESS: u64 = i64::MAX as u64;

/// Integers of up to this many bits have differences and strides that fit into 64 bits.
const NARROW: u32 = 32;

/// Writes how far the work-items from the one at `places` on agree. `kept` has the values that are kept once.
pub(crate) fn stretch<'m>(
    e: &Emitter<'_, 'm>,
    guards: &Guards,
    places: Places<'m>,
    kept: &HashMap<InstId, Mapped<'m>>,
) -> Result<Stretch<'m>> {
    let b = e.b;
    let mut ahead = Ahead { e, places, kept, values: HashMap::new() };
    let mut items: Option<Value<'m>> = None;
    for bound in &guards.bounds {
        let more = ahead.items(bound)?;
        items = Some(items.map_or(more, |items| minimum(b, more, items)));
    }
    let items = items.unwrap_or_else(|| e.number(ENDLESS));
    let mut truths = HashMap::new();
    for id in &guards.compares {
        truths.insert(*id, ahead.value(*id)?);
    }
    Ok(Stretch { items, truths })
}

/// Does a signed number with a stride wrap in a row of `size` work-items? `places` is the row's first.
pub(crate) fn wraps_in_row<'m>(
    e: &Emitter<'_, 'm>,
    id: InstId,
    stride: i64,
    places: Places<'m>,
    size: Value<'m>,
) -> Result<Value<'m>> {
    let b = e.b;
    let first = Ahead { e, places, kept: &HashMap::new(), values: HashMap::new() }.value(id)?;
    let narrow = first.ty();
    let wide = b.context().int_type(if narrow.int_width() <= NARROW { 64 } else { 128 });
    let steps = b.zext(b.sub(size, e.number(1)), wide);
    let way = b.binary(Opcode::Mul, steps, constant(wide, stride.into()));
    let last = b.add(b.sext(first, wide), way);
    Ok(b.icmp(IntPredicate::Ne, b.sext(b.trunc(last, narrow), wide), last))
}

/// Values of a work-item, computed ahead of the region without promises, as not all work-items come to these.
struct Ahead<'e, 'm> {
    e: &'e Emitter<'e, 'm>,
    places: Places<'m>,
    kept: &'e HashMap<InstId, Mapped<'m>>,
    values: HashMap<InstId, Value<'m>>,
}

impl<'m> Ahead<'_, 'm> {
    fn operand(&mut self, operand: Operand) -> Result<Value<'m>> {
        match operand {
            Operand::Inst(id) => self.value(id),
            Operand::Parameter(index) => Ok(self.e.parameters[index as usize]),
            Operand::Constant(id) => Ok(*self.e.function.llvm_constants[id.index()]),
            Operand::Opaque => failure("a guard of what is no value"),
        }
    }

    fn value(&mut self, id: InstId) -> Result<Value<'m>> {
        if let Some(value) = self.values.get(&id) {
            return Ok(*value);
        }
        let b = self.e.b;
        let value = match self.kept.get(&id) {
            Some(Mapped::Value(value)) => *value,
            _ => match self.e.function.inst(id).kind {
                Kind::Query(query) => self.places.answer(b, query),
                _ => self.compute(id)?,
            },
        };
        self.values.insert(id, value);
        Ok(value)
    }

    fn compute(&mut self, id: InstId) -> Result<Value<'m>> {
        let inst = self.e.function.inst(id);
        let count = if inst.opcode == Opcode::Call { inst.llvm.arguments().len() } else { inst.operands.len() };
        let operands: Result<Vec<_>> = inst.operands[..count].iter().map(|operand| self.operand(*operand)).collect();
        without_promises(self.e.b, inst, &operands?).or_fail("a guard of what is not computed ahead")
    }

    /// How many work-items there are from this one up to the bound.
    fn items(&mut self, bound: &Bound) -> Result<Value<'m>> {
        let b = self.e.b;
        let inst = self.e.function.inst(bound.of);
        let number = |index: usize| inst.operands.get(index).copied().unwrap_or(Operand::Opaque);
        let (first, second) = match bound.term {
            Term::Difference => (self.operand(number(0))?, Some(self.operand(number(1))?)),
            Term::Operand(index) => (self.operand(number(index))?, None),
        };
        let (low, wide) = (b.context().int_type(bound.bits), if bound.bits <= NARROW { 64 } else { 128 });
        let wide = b.context().int_type(wide);
        let extend = |value| resized(b, resized(b, value, low, bound.signed), wide, bound.signed);
        let mut number = extend(first);
        if let Some(second) = second {
            number = b.sub(number, extend(second));
        }
        Ok(before_sign_changes(b, b.sub(number, constant(wide, bound.less)), bound.stride))
    }
}

/// An integer of 64 or 128 bits.
fn constant(ty: Type<'_>, value: i128) -> Value<'_> {
    match ty.int_width() {
        64 => ty.const_signed(value as i64),
        _ => ty.const_words(&[value as u64, (value >> 64) as u64]),
    }
}

/// How many numbers, from `first` on in steps of `stride`, have the sign of the first; [`ENDLESS`] if all do.
fn before_sign_changes<'m>(b: &Builder<'m>, first: Value<'m>, stride: i128) -> Value<'m> {
    let (wide, i64_type) = (first.ty(), b.context().int_type(64));
    let is_negative = b.icmp(IntPredicate::Slt, first, wide.zero());
    // The distance to the last number on this side of zero.
    let (changes, far) = if stride > 0 { (is_negative, b.not(first)) } else { (b.not(is_negative), first) };
    let far = if wide.int_width() == 64 {
        far
    } else {
        let most = constant(wide, i128::from(ENDLESS >> 1));
        b.trunc(minimum(b, far, most), i64_type)
    };
    let by = stride.unsigned_abs();
    let steps = match u64::try_from(by) {
        Ok(1) => far,
        Ok(by) if by.is_power_of_two() => b.lshr(far, i64_type.const_int(u64::from(by.ilog2()))),
        Ok(by) => b.binary(Opcode::UDiv, far, i64_type.const_int(by)),
        Err(_) => i64_type.zero(),
    };
    let count = b.add(steps, i64_type.const_int(1));
    b.select(changes, count, i64_type.const_int(ENDLESS))
}
