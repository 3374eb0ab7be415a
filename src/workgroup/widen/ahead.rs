//! Loads of loops that go through memory in strides as long as the launch has work-items, each element once: what later turns
//! load is asked for ahead. Machines see streams that go on line after line; of these strides each turn is on another page.

use oxicl_llvm::{GepFlags, IntPredicate, Opcode, Value};

use crate::analyse::graph::{Graph, Loop};
use crate::analyse::shape::Shape;
use crate::arena::{BlockId, Function, InstId, Kind, Operand, Terminator};
use crate::failure::Failure;
use crate::operation::Query;
use crate::widen::piece::Widener;

/// Bytes that are on their way: what memory gives in the time that the first of them take.
const ON_THEIR_WAY: u64 = 8 << 10;
/// Turns ahead, at least and at most.
const TURNS: (u64, u64) = (4, 64);
/// Bytes that are asked for at once, and those of a gang's access above which it goes on by itself.
const LINE: u64 = 64;
const LONGEST: u64 = 1 << 10;
/// Instructions of a number that are looked at.
const FAR: usize = 8;

/// A loop that counts by about as much as the launch has work-items.
struct Stride<'m> {
    number: usize,
    counter: InstId,
    by: Operand<'m>,
    /// Where it ends, and whether numbers have a sign there.
    end: Operand<'m>,
    signed: bool,
}

impl<'m> Widener<'_, '_, 'm> {
    /// Asks for what a load from `address` by lanes that lie `bytes` apart will want in later turns.
    pub(crate) fn ask_ahead(&self, block: BlockId, address: Operand<'m>, bytes: u64) -> Result<(), Failure> {
        let length = bytes * u64::from(self.lanes);
        let steps = matches!(self.shape(address), Shape::Affine(by) | Shape::Wrapping(by) if by == bytes as i64);
        if !steps || !(LINE..=LONGEST).contains(&length) || self.unit(address).is_some() {
            return Ok(());
        }
        let Some(stride) = self.stride(block, address) else { return Ok(()) };
        let b = self.b;
        let (i32_type, i64_type) = (b.context().int_type(32), b.context().int_type(64));
        let turns = (ON_THEIR_WAY / length).clamp(TURNS.0, TURNS.1);
        let again = |operand| self.again(operand, stride.number, FAR);
        let (Some(by), Some(end)) = (again(stride.by), again(stride.end)) else { return Ok(()) };
        let (first, counter) = (self.first(address)?, self.first(Operand::Inst(stride.counter))?);
        let Some(prefetch) = self.e.module.intrinsic("llvm.prefetch", &[first.ty()]) else { return Ok(()) };
        if [by, end, counter].iter().any(|number| !number.ty().is_int() || number.ty().int_width() > 64) {
            return Ok(());
        }
        let widened = |value: Value<'m>| match (value.ty().int_width() < 64, stride.signed) {
            (false, _) => value,
            (true, true) => b.sext(value, i64_type),
            (true, false) => b.zext(value, i64_type),
        };
        let is_longer = counter.ty().int_width() > end.ty().int_width();
        let counter = if is_longer { b.trunc(counter, end.ty()) } else { counter };
        let ahead = b.mul(widened(by), i64_type.const_int(turns));
        let predicate = if stride.signed { IntPredicate::Slt } else { IntPredicate::Ult };
        let goes_on = b.icmp(predicate, b.add(widened(counter), ahead), widened(end));
        // In the last turns there is nothing more to ask for. (The first lane need not be there, and its numbers be nothing.)
        let [ask, done] = ["ahead", ""].map(|name| self.e.block(name));
        b.cond_br(b.freeze(goes_on), ask, done);
        b.position_at_end(ask);
        let ahead = b.mul(ahead, i64_type.const_int(bytes));
        for line in 0..length.div_ceil(LINE) {
            let offset = b.add(ahead, i64_type.const_int(line * LINE));
            let place = b.gep(b.context().int_type(8), first, &[offset], GepFlags::NONE);
            // A read, into the second cache: there is more room for what is under way.
            b.call(prefetch, &[place, i32_type.zero(), i32_type.const_int(2), i32_type.const_int(1)]);
        }
        b.br(done);
        b.position_at_end(done);
        Ok(())
    }

    /// The stride of the loop that a block is in, if an address goes on by it.
    fn stride(&self, block: BlockId, address: Operand<'m>) -> Option<Stride<'m>> {
        let (function, graph) = (self.function, self.graph);
        let number = graph.innermost(*graph.numbers.get(&block)?)?;
        let l = &graph.loops[number];
        let Operand::Inst(address) = address else { return None };
        let inst = function.inst(address);
        let [_, index] = inst.operands[..] else { return None };
        let counter = counter(function, index).filter(|_| inst.opcode == Opcode::GetElementPtr)?;
        let phi = function.inst(counter);
        let affine = matches!(self.shape(Operand::Inst(counter)), Shape::Affine(_));
        let (Kind::Phi(blocks), true) = (&phi.kind, affine && phi.block == graph.blocks[l.header]) else { return None };
        let from_latch = blocks.iter().position(|from| *from == graph.blocks[l.latch])?;
        let Operand::Inst(next) = *phi.operands.get(from_latch)? else { return None };
        let sum = function.inst(next);
        let [left, right] = sum.operands[..] else { return None };
        let counts = |operand: Operand<'m>| root(function, operand) == Some(counter);
        let by = match (counts(left), counts(right)) {
            (true, false) => right,
            (false, true) => left,
            _ => return None,
        };
        let goes_far = sum.opcode == Opcode::Add && self.shape(by).is_row_uniform() && spans_launch(function, by, FAR);
        let (end, signed) = self.bound(graph, l, (counter, next)).filter(|_| goes_far)?;
        Some(Stride { number, counter, by, end, signed })
    }

    /// What a loop compares its counter with where it ends, and whether with signs.
    fn bound(&self, graph: &Graph, l: &Loop, (counter, next): (InstId, InstId)) -> Option<(Operand<'m>, bool)> {
        let function = self.function;
        let counts = |operand: Operand<'m>| root(function, operand).is_some_and(|id| id == counter || id == next);
        let fixed = |operand: Operand<'m>| self.shape(operand).is_row_uniform();
        (l.header..l.end).find_map(|node| {
            let Terminator::Branch { condition: Some(Operand::Inst(condition)), .. } =
                function.block(graph.blocks[node]).terminator
            else {
                return None;
            };
            let inst = function.inst(condition);
            let signed = match inst.value.int_predicate()? {
                IntPredicate::Ult | IntPredicate::Ule | IntPredicate::Ugt | IntPredicate::Uge => false,
                IntPredicate::Slt | IntPredicate::Sle | IntPredicate::Sgt | IntPredicate::Sge => true,
                IntPredicate::Eq | IntPredicate::Ne => return None,
            };
            match inst.operands[..] {
                [left, right] if counts(left) && fixed(right) => Some((right, signed)),
                [left, right] if counts(right) && fixed(left) => Some((left, signed)),
                _ => None,
            }
        })
    }

    /// A number that is known in front of a loop, computed once more where the builder is if the loop does so.
    fn again(&self, operand: Operand<'m>, number: usize, far: usize) -> Option<Value<'m>> {
        use Opcode::{Add, LShr, Mul, SExt, Shl, Sub, Trunc, ZExt};
        let Operand::Inst(id) = operand else { return self.first(operand).ok() };
        let inst = self.function.inst(id);
        if !self.graph.numbers.get(&inst.block).is_some_and(|node| self.graph.is_in(*node, number)) {
            return self.first(operand).ok();
        }
        let operand = |index: usize| self.again(*inst.operands.get(index)?, number, far.checked_sub(1)?);
        Some(match (&inst.kind, inst.opcode) {
            (Kind::Query(query), _) if !self.is_of_sub_group(*query) => self.scalar.places.answer(self.b, *query),
            (Kind::Plain, ZExt | SExt | Trunc) => self.b.cast(inst.opcode, operand(0)?, inst.value.ty()),
            (Kind::Plain, Add | Sub | Mul | Shl | LShr) => self.b.binary(inst.opcode, operand(0)?, operand(1)?),
            _ => return None,
        })
    }
}

/// The value that a number is made of by another width only.
fn root(function: &Function<'_>, operand: Operand<'_>) -> Option<InstId> {
    let Operand::Inst(mut id) = operand else { return None };
    for _ in 0..FAR {
        let inst = function.inst(id);
        // The two shifts that extend the sign of a part.
        if let (Opcode::AShr, [Operand::Inst(left), Operand::Constant(by)]) = (inst.opcode, &inst.operands[..])
            && let (Opcode::Shl, [Operand::Inst(whole), Operand::Constant(up)]) =
                (function.inst(*left).opcode, &function.inst(*left).operands[..])
            && by == up
        {
            id = *whole;
            continue;
        }
        let masked = inst.opcode == Opcode::And && matches!(inst.operands[..], [_, Operand::Constant(_)]);
        let same = masked || matches!(inst.opcode, Opcode::ZExt | Opcode::SExt | Opcode::Trunc | Opcode::Freeze);
        match inst.operands.first() {
            Some(Operand::Inst(before)) if same => id = *before,
            _ => break,
        }
    }
    Some(id)
}

/// The phi that an index is, or is a constant beside.
fn counter(function: &Function<'_>, index: Operand<'_>) -> Option<InstId> {
    let id = root(function, index)?;
    let inst = function.inst(id);
    let id = match inst.operands[..] {
        [left, Operand::Constant(_)] if matches!(inst.opcode, Opcode::Add | Opcode::Sub) => root(function, left)?,
        _ => id,
    };
    matches!(function.inst(id).kind, Kind::Phi(_)).then_some(id)
}

/// Is a number that of the work-items of the launch, or of its work-groups, as often as may be?
fn spans_launch(function: &Function<'_>, operand: Operand<'_>, far: usize) -> bool {
    let Operand::Inst(id) = operand else { return false };
    let inst = function.inst(id);
    match (&inst.kind, inst.opcode) {
        (Kind::Query(query), _) => matches!(query, Query::GlobalSize(_) | Query::NumGroups(_)),
        (Kind::Plain, Opcode::ZExt | Opcode::SExt | Opcode::Trunc | Opcode::Mul | Opcode::Shl) if far > 0 => {
            inst.operands.iter().any(|operand| spans_launch(function, *operand, far - 1))
        }
        _ => false,
    }
}
