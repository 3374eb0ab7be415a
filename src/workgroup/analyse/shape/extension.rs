//! Shapes of numbers that are extended: narrow ones that may wrap, and promises that they do not.

use std::collections::HashSet;

use crate::ir::{BlockId, Function, Inst, InstId, Kind, Opcode, Operand, Terminator};

use super::Shape;
use super::analysis::Analysis;
use crate::analyse::instructions::{hands_on, is_division, is_integer_binary};
use crate::analyse::largest::largest;
use crate::bounds::shape::{MOST, MOST_PLACES};
use oxicl_ops::Query;

impl Analysis<'_, '_> {
    /// Widening keeps the stride where the narrow number cannot wrap. What is cut off an id does not wrap either in a row
    /// that does not cross a multiple of 2^31, and no other runs as gangs.
    pub(super) fn extension(&self, id: InstId, inst: &Inst<'_>) -> Option<Shape> {
        let operand = inst.operands[0];
        let shape = self.operand(operand)?;
        let Operand::Inst(narrow) = operand else {
            return Some(if shape.is_row_uniform() { shape } else { Shape::Varying });
        };
        Some(match shape {
            Shape::Affine(stride) => match self.exact(narrow, inst.opcode == Opcode::SExt) {
                Exact::Always => Shape::Affine(stride),
                Exact::Promised if self.is_relied_on(id, narrow) || self.is_used_together(id) => Shape::Affine(stride),
                Exact::Promised | Exact::No => Shape::Wrapping(stride),
            },
            Shape::Wrapping(_) => Shape::Varying,
            other => other,
        })
    }

    /// A number cut to its low bits and extended again, as shifts or a mask.
    pub(super) fn low_bits(&self, inst: &Inst<'_>) -> Option<Shape> {
        let Some(low) = low_bits(self.function, inst) else { return self.shifted_back(inst) };
        let shape = self.operand(inst.operands[0])?;
        // All lanes have the same in bits that are cleared if their distance has none there.
        let is_clear = |stride: i64| stride & ((1 << low.zeros) - 1) == 0;
        let Shape::Affine(stride) = shape else { return self.all_uniform(inst) };
        if !is_clear(stride) {
            return self.all_uniform(inst);
        }
        // With a sign they begin again at a multiple of 2^bits and in the middle between two.
        let enough = low.bits >= if inst.opcode == Opcode::And { 31 } else { 32 };
        let is_row = enough && matches!(low.number, Operand::Inst(id) if self.function.inst(id).is_place());
        let stride = stride >> low.back;
        Some(if is_row { Shape::Affine(stride) } else { Shape::Wrapping(stride) })
    }

    /// A number shifted to the right by a constant. Its stride is the number's shifted, if that loses no bit of it and the number
    /// does not wrap on the way: what is cut off is the same in all lanes. (`a[i + 1]` with `i` of 32 bits is such a one, as
    /// LLVM writes it: the upper half of a sum.)
    fn shifted_back(&self, inst: &Inst<'_>) -> Option<Shape> {
        let shape = self.operand(inst.operands[0])?;
        let by = self.function.u64_at(inst, 1);
        Some(match (inst.opcode, shape, by) {
            (Opcode::AShr, Shape::Affine(stride), Some(by)) if u64::from(stride.trailing_zeros()) >= by => {
                Shape::Wrapping(stride >> by)
            }
            _ => return self.all_uniform(inst),
        })
    }

    /// Do the narrow numbers of a row advance by their stride without wrapping, as signed numbers or as unsigned ones? They
    /// do if they are made of ids by operations that promise not to wrap, or of places in a work-group, and are small.
    fn exact(&self, id: InstId, signed: bool) -> Exact {
        let width = self.function.inst(id).ty.int_width();
        if largest(self.function, Operand::Inst(id)).is_some_and(|most| most.leading_zeros() > 64 - width) {
            return Exact::Always;
        }
        let mut seen = vec![id];
        let mut next = 0;
        let mut exact = Exact::Always;
        while let Some(id) = seen.get(next).copied() {
            next += 1;
            let inst = self.function.inst(id);
            let promises = inst.promises();
            let is_id = |operand: &Operand| self.function.made_by(*operand).is_some_and(Inst::is_place);
            let promised = match inst.opcode {
                Opcode::Trunc if inst.operands.first().is_some_and(is_id) => {
                    if inst.ty.int_width() < 32 {
                        return Exact::No;
                    }
                    continue;
                }
                Opcode::Phi => true,
                Opcode::Or => inst.is_disjoint(),
                Opcode::Xor => self.function.is_complement(inst),
                _ if matches!(inst.kind, Kind::Query(Query::SubGroupLocalId)) => continue,
                _ if signed => promises.no_signed_wrap,
                _ => promises.no_unsigned_wrap,
            };
            if !promised {
                return Exact::No;
            }
            exact = Exact::Promised;
            for operand in &inst.operands {
                if self.operand(*operand).is_some_and(Shape::is_row_uniform) {
                    continue;
                }
                let Operand::Inst(used) = operand else { return Exact::No };
                if !seen.contains(used) {
                    seen.push(*used);
                }
            }
            if seen.len() > MOST {
                return Exact::No;
            }
        }
        exact
    }

    /// Is an extended number, and so the narrow one, a number in each work-item that runs its block? A broken promise
    /// makes it none, which is allowed where nobody looks: LLVM computes ahead what only some work-items choose. But a
    /// place of an access or the way that a block goes on may not come from none.
    fn is_relied_on(&self, extension: InstId, narrow: InstId) -> bool {
        let block = self.function.inst(extension).block;
        let mut seen = vec![extension, narrow];
        let mut next = 0;
        while let Some(id) = seen.get(next).copied() {
            next += 1;
            if self.branches[id.index()].contains(&block)
                && matches!(self.function.block(block).terminator, Terminator::Branch { .. })
            {
                return true;
            }
            for user in &self.users[id.index()] {
                let inst = self.function.inst(*user);
                if inst.block != block {
                    continue;
                }
                let is_operand = |number: usize| inst.operands.get(number) == Some(&Operand::Inst(id));
                match inst.opcode {
                    Opcode::Load if matches!(inst.kind, Kind::Plain) => return true,
                    Opcode::Store if matches!(inst.kind, Kind::Plain) && is_operand(1) => return true,
                    Opcode::Select if !is_operand(0) => continue,
                    opcode if hands_on(opcode) && seen.len() < MOST && !seen.contains(user) => seen.push(*user),
                    _ => {}
                }
            }
        }
        false
    }

    /// Do all work-items that run an extended number's block rely on it, or none of them? They do if it is nothing but part of the
    /// places of accesses, and they diverge nowhere on the way to these: pointers that a loop goes on with are such.
    fn is_used_together(&self, extension: InstId) -> bool {
        let Some(accesses) = self.accesses_at(extension) else { return false };
        let from = self.function.inst(extension).block;
        let diverges = |block: &BlockId| self.diverged[block.index()] == Some(Shape::Varying);
        let ways = self.behind([from].into_iter()).into_iter().chain([from]);
        let parted = self.behind(ways.filter(diverges));
        !accesses.iter().any(|block| parted.contains(block))
    }

    /// The blocks that ways lead to from some.
    fn behind(&self, from: impl Iterator<Item = BlockId>) -> HashSet<BlockId> {
        let (mut work, mut reached) = (from.collect::<Vec<_>>(), HashSet::new());
        while let Some(block) = work.pop() {
            work.extend(self.successors[block.index()].iter().copied().filter(|to| reached.insert(*to)));
        }
        reached
    }

    /// The blocks of the accesses whose places a number is part of; `None` if it is used for something else as well.
    fn accesses_at(&self, number: InstId) -> Option<Vec<BlockId>> {
        let (mut blocks, mut seen) = (Vec::new(), vec![number]);
        let mut next = 0;
        while let Some(id) = seen.get(next).copied() {
            next += 1;
            if !self.branches[id.index()].is_empty() || seen.len() > MOST_PLACES {
                return None;
            }
            for user in &self.users[id.index()] {
                let inst = self.function.inst(*user);
                let is_operand = |number: usize| inst.operands.get(number) == Some(&Operand::Inst(id));
                match (&inst.kind, inst.opcode) {
                    (Kind::Plain, Opcode::Load) => blocks.push(inst.block),
                    (Kind::Plain, Opcode::Store) if !is_operand(0) => blocks.push(inst.block),
                    _ if seen.contains(user) => {}
                    (Kind::Phi(_), _) | (_, Opcode::GetElementPtr | Opcode::AddrSpaceCast) => seen.push(*user),
                    (_, opcode) if is_integer_binary(opcode) && !is_division(opcode) => seen.push(*user),
                    _ => return None,
                }
            }
        }
        Some(blocks)
    }
}

/// Why numbers of a row advance by their stride.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exact {
    Always,
    /// In work-items in which operations keep their promises.
    Promised,
    No,
}

/// Sums and products, and phis of such, of which nobody looks at more than the low 32 bits.
pub(super) fn low_only(function: &Function<'_>, users: &[Vec<InstId>]) -> Vec<bool> {
    let candidate = |inst: &Inst<'_>| {
        let sums = matches!(inst.opcode, Opcode::Add | Opcode::Sub | Opcode::Mul | Opcode::Phi);
        sums && inst.ty.is_int_of(64)
    };
    let mut low: Vec<bool> = function.insts.iter().map(candidate).collect();
    for block in 0..function.blocks.len() {
        if let Some(used) = function.terminator_use(BlockId(block as u32)) {
            low[used.index()] = false;
        }
    }
    let cuts = |user: &InstId| {
        let inst = function.inst(*user);
        match inst.opcode {
            Opcode::Trunc => inst.ty.int_width() <= 32,
            Opcode::Shl => function.u64_at(inst, 1).is_some_and(|by| by >= 32),
            Opcode::And => function.u64_at(inst, 1).is_some_and(|c| c <= u64::from(u32::MAX)),
            _ => false,
        }
    };
    let mut work: Vec<usize> = (0..low.len()).filter(|index| low[*index]).collect();
    while let Some(index) = work.pop() {
        if low[index] && !users[index].iter().all(|user| cuts(user) || low[user.index()]) {
            low[index] = false;
            let operands = function.insts[index].operands.iter();
            work.extend(operands.filter_map(|operand| Some(operand.inst()?.index())));
        }
    }
    low
}

/// What an instruction makes of the low bits of a number: a shift to the left and back again, or a mask, perhaps of what was
/// shifted to the left.
pub(crate) struct LowBits {
    pub(super) number: Operand,
    /// How many of the number's.
    pub(super) bits: u32,
    /// How many a mask leaves of what was shifted to the left; without one as many as of the number.
    pub(crate) left: u32,
    /// How many of the lowest it clears.
    pub(super) zeros: u32,
    /// By how much it is shifted back.
    pub(super) back: u32,
}

/// Finds out whether an instruction is such a one.
pub(crate) fn low_bits<'m>(function: &Function<'m>, inst: &Inst<'m>) -> Option<LowBits> {
    let by = function.u64_at(inst, 1)?;
    let width = inst.ty.is_int().then(|| inst.ty.int_width())?;
    let whole = *inst.operands.first()?;
    let shifted = match whole {
        Operand::Inst(id) if function.inst(id).opcode == Opcode::Shl => {
            let shift = function.inst(id);
            let by = function.u64_at(shift, 1).and_then(|by| u32::try_from(by).ok());
            by.filter(|by| *by < width).zip(shift.operands.first().copied())
        }
        _ => None,
    };
    match inst.opcode {
        Opcode::And if width == 64 && by != 0 => {
            let zeros = by.trailing_zeros();
            let mask = by | ((1 << zeros) - 1);
            let left = mask.trailing_ones();
            // A number that is not below 0 has 31.
            let is_known = left == 32 || (left < 64 && left - zeros >= 31);
            let (to_left, number) = shifted.filter(|(by, _)| *by < left).unwrap_or((0, whole));
            (mask.count_ones() == left && is_known).then_some(LowBits {
                number,
                bits: left - to_left,
                left,
                zeros,
                back: 0,
            })
        }
        Opcode::AShr if width <= 64 => {
            let (to_left, number) = shifted?;
            let back = u32::try_from(by).ok().filter(|by| (1..=to_left).contains(by))?;
            let bits = width - to_left;
            Some(LowBits { number, bits, left: bits, zeros: 0, back })
        }
        _ => None,
    }
}
