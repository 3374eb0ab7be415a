//! Shapes of extended numbers: the narrow number may wrap, unless something promises that it does not.

use std::collections::HashSet;

use crate::ir::{BlockId, Function, Inst, InstId, Kind, Opcode, Operand, Terminator};

use super::Shape;
use super::analysis::Analysis;
use crate::analyse::instructions::{hands_on, is_division, is_integer_binary, signedness};
use crate::analyse::largest::largest;
use crate::bounds::{ADDRESSES, CHAIN, NEARBY};
use oxicl_ops::Query;

/// A cost: numbers with a longer stride would wrap too often along a row, whose work-items then run one by one. With
/// this one, a number wraps once in 2^24 work-items along x.
const LONGEST_STRIDE: u64 = 1 << 8;

impl Analysis<'_, '_> {
    /// An extension keeps the stride where the narrow number cannot wrap. A truncated id does not wrap either: rows
    /// that cross a multiple of 2^31 do not run as gangs. Nor do rows in which a number wraps that is checked.
    pub(super) fn extension(&self, id: InstId, inst: &Inst<'_>) -> Option<Shape> {
        let operand = inst.operands[0];
        let shape = self.operand(operand)?;
        let Operand::Inst(narrow) = operand else {
            return Some(if shape.is_row_uniform() { shape } else { Shape::Varying });
        };
        Some(match shape {
            Shape::Affine(stride) => match self.exact(narrow, inst.opcode == Opcode::SExt, &mut Vec::new()) {
                Exact::Always => Shape::Affine(stride),
                Exact::Promised if self.is_relied_on(id, narrow) || self.is_used_together(id) => Shape::Affine(stride),
                Exact::Promised | Exact::No => Shape::Wrapping(stride),
            },
            Shape::Wrapping(_) => Shape::Varying,
            other => other,
        })
    }

    /// The shape of a comparison. Two numbers of one stride compare alike in all lanes, unless one wraps: `i <= x + r` does
    /// where `i` starts at `x - r`.
    pub(super) fn comparison(&self, id: InstId, inst: &Inst<'_>) -> Option<Shape> {
        let shapes = [self.operand(inst.operands[0])?, self.operand(inst.operands[1])?];
        let [Shape::Affine(left), Shape::Affine(right)] = shapes else { return self.all_uniform(inst) };
        let stays = |operand: &Operand, signed: bool| {
            let Operand::Inst(number) = *operand else { return false };
            let mut checked = Vec::new();
            match self.exact(number, signed, &mut checked) {
                Exact::Always => checked.is_empty(),
                Exact::Promised => checked.is_empty() && self.is_relied_on(id, number),
                Exact::No => false,
            }
        };
        let signed = signedness(inst.int_predicate()?);
        let agrees = signed.is_none_or(|signed| inst.operands.iter().all(|operand| stays(operand, signed)));
        Some(if left == right && agrees { Shape::Row } else { Shape::Varying })
    }

    /// The shape of a number that is truncated to its low bits and extended again, by shifts or a mask.
    pub(super) fn low_bits(&self, inst: &Inst<'_>) -> Option<Shape> {
        let Some(low) = low_bits(self.function, inst) else { return self.shifted_back(inst) };
        let shape = self.operand(inst.operands[0])?;
        // Clearing `zeros` low bits keeps the stride if that has none of them set: all lanes agree on what is cleared.
        let is_clear = |stride: i64| stride & ((1 << low.zeros) - 1) == 0;
        let Shape::Affine(stride) = shape else { return self.all_uniform(inst) };
        if !is_clear(stride) {
            return self.all_uniform(inst);
        }
        let stride = stride >> low.back;
        let is_exact = self.is_low_place(inst, &low) || self.checked_shift(inst).is_some();
        Some(if is_exact { Shape::Affine(stride) } else { Shape::Wrapping(stride) })
    }

    /// Are these the low bits of an id? Rows cross no multiple of 2^31. Unsigned numbers wrap at multiples of 2^bits,
    /// signed ones halfway between.
    fn is_low_place(&self, inst: &Inst<'_>, low: &LowBits) -> bool {
        let enough = low.bits >= if inst.opcode == Opcode::And { 31 } else { 32 };
        enough && self.function.made_by(low.number).is_some_and(Inst::is_place)
    }

    /// The shape of a number shifted right by a constant. The stride is shifted likewise if that loses no bit of it, as
    /// lanes then agree on the bits that are dropped, and if the number does not wrap. (LLVM writes `a[i + 1]` with `i`
    /// of 32 bits in this way: as the upper half of a sum.)
    fn shifted_back(&self, inst: &Inst<'_>) -> Option<Shape> {
        let shape = self.operand(inst.operands[0])?;
        let by = self.function.u64_at(inst, 1);
        Some(match (inst.opcode, shape, by) {
            (Opcode::AShr, Shape::Affine(stride), Some(by)) if u64::from(stride.trailing_zeros()) >= by => {
                match self.checked_shift(inst) {
                    Some(_) => Shape::Affine(stride >> by),
                    None => Shape::Wrapping(stride >> by),
                }
            }
            _ => return self.all_uniform(inst),
        })
    }

    /// The number that is shifted right, as a signed one, if it is checked row by row.
    fn checked_shift(&self, inst: &Inst<'_>) -> Option<InstId> {
        let (id, by) = (inst.operands.first()?.inst()?, self.function.u64_at(inst, 1)?);
        (inst.opcode == Opcode::AShr && self.is_row_checked(id, by)).then_some(id)
    }

    /// The numbers that shapes take not to wrap in rows that run as gangs.
    pub(super) fn row_checked(&self) -> Vec<InstId> {
        let mut checked = Vec::new();
        let is_affine = |operand: Operand| matches!(self.operand(operand), Some(Shape::Affine(_)));
        for (id, inst) in self.function.numbered() {
            let Some(operand) = inst.operands.first().copied() else { continue };
            match (inst.opcode, operand) {
                _ if !is_affine(Operand::Inst(id)) || !is_affine(operand) => {}
                (Opcode::SExt, Operand::Inst(narrow)) => drop(self.exact(narrow, true, &mut checked)),
                (Opcode::AShr, _) => match low_bits(self.function, inst) {
                    Some(low) if self.is_low_place(inst, &low) => {}
                    _ => checked.extend(self.checked_shift(inst)),
                },
                _ => {}
            }
        }
        checked.sort_unstable();
        checked.dedup();
        checked
    }

    /// Can each row be checked before it runs, so that a number whose `by` low bits are dropped need not promise to
    /// stay in the range of signed ones? It is checked once for all rows of a work-group, so it may depend on x alone.
    fn is_row_checked(&self, id: InstId, by: u64) -> bool {
        let Some(Shape::Affine(stride)) = self.operand(Operand::Inst(id)) else { return false };
        self.given.checks_rows
            && (stride >> by.min(63)).unsigned_abs() <= LONGEST_STRIDE
            && self.is_made_of_places(Operand::Inst(id), CHAIN)
    }

    /// Is a number made of ids along x, arguments and constants?
    fn is_made_of_places(&self, operand: Operand, far: usize) -> bool {
        let is_number = self.function.type_of(operand).is_int_up_to(64);
        let inst = match operand {
            Operand::Inst(id) => self.function.inst(id),
            Operand::Parameter(_) => return is_number,
            Operand::Constant(_) | Operand::Opaque => return self.function.as_u64(operand).is_some(),
        };
        if far == 0 || !is_number || !matches!(self.operand(operand), Some(Shape::Uniform | Shape::Affine(_))) {
            return false;
        }
        let is_made = |operand: &Operand| self.is_made_of_places(*operand, far - 1);
        match (&inst.kind, inst.opcode) {
            (Kind::Query(query), _) => (query.is_uniform() || query.has_unit_stride()) && !query.tells_rows_apart(),
            (Kind::Plain, Opcode::Shl) => {
                let by = self.function.u64_at(inst, 1);
                by.is_some_and(|by| by < u64::from(inst.ty.int_width())) && is_made(&inst.operands[0])
            }
            (Kind::Plain, Opcode::Or) => inst.is_disjoint() && inst.operands.iter().all(is_made),
            (Kind::Plain, Opcode::Add | Opcode::Sub | Opcode::Mul | Opcode::Trunc | Opcode::SExt | Opcode::ZExt) => {
                inst.operands.iter().all(is_made)
            }
            _ => false,
        }
    }

    /// Do narrow numbers advance along a row by their stride without wrapping, as signed or as unsigned numbers? They
    /// do if they are computed from ids by operations that promise not to wrap, or if `largest` shows that they are
    /// small. Notes the numbers that are checked row by row instead.
    fn exact(&self, id: InstId, signed: bool, checked: &mut Vec<InstId>) -> Exact {
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
                _ if inst.is_place() => continue,
                _ if signed => promises.no_signed_wrap,
                _ => promises.no_unsigned_wrap,
            };
            if !promised {
                if !signed || !self.is_row_checked(id, 0) {
                    return Exact::No;
                }
                checked.push(id);
                continue;
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
            if seen.len() > NEARBY {
                return Exact::No;
            }
        }
        exact
    }

    /// Is an extended number, and so the narrow one, free of poison in every work-item that runs its block? A broken
    /// promise makes it poison, which is allowed where it is not used: LLVM speculates what only some work-items
    /// select. But neither an address of an access nor a branch condition may be poison.
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
                    opcode if hands_on(opcode) && seen.len() < NEARBY && !seen.contains(user) => seen.push(*user),
                    _ => {}
                }
            }
        }
        false
    }

    /// Do all or none of the work-items that run an extended number's block rely on it? They do if it is only used for
    /// addresses, as pointers that a loop advances are, and none diverge on the way to the accesses.
    fn is_used_together(&self, extension: InstId) -> bool {
        let Some(accesses) = self.accesses_at(extension) else { return false };
        let from = self.function.inst(extension).block;
        let diverges = |block: &BlockId| self.diverged[block.index()] == Some(Shape::Varying);
        let ways = self.behind([from].into_iter()).into_iter().chain([from]);
        let parted = self.behind(ways.filter(diverges));
        !accesses.iter().any(|block| parted.contains(block))
    }

    /// The blocks that can be reached from some blocks.
    fn behind(&self, from: impl Iterator<Item = BlockId>) -> HashSet<BlockId> {
        let (mut work, mut reached) = (from.collect::<Vec<_>>(), HashSet::new());
        while let Some(block) = work.pop() {
            work.extend(self.successors[block.index()].iter().copied().filter(|to| reached.insert(*to)));
        }
        reached
    }

    /// The blocks of the accesses whose addresses a number is used for; `None` if it is used for anything else.
    fn accesses_at(&self, number: InstId) -> Option<Vec<BlockId>> {
        let (mut blocks, mut seen) = (Vec::new(), vec![number]);
        let mut next = 0;
        while let Some(id) = seen.get(next).copied() {
            next += 1;
            if !self.branches[id.index()].is_empty() || seen.len() > ADDRESSES {
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

/// Whether narrow numbers advance along a row by their stride without wrapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exact {
    Always,
    /// In work-items in which no operation breaks its promise.
    Promised,
    No,
}

/// Marks sums, products and phis of 64 bits of which only the low 32 bits are used.
pub(super) fn low_only(function: &Function<'_>, users: &[Vec<InstId>]) -> Vec<bool> {
    let candidate = |inst: &Inst<'_>| {
        let sums = matches!(inst.opcode, Opcode::Add | Opcode::Sub | Opcode::Mul | Opcode::Phi);
        sums && inst.ty.is_int_of(64)
    };
    let mut low: Vec<bool> = function.insts.iter().map(candidate).collect();
    for used in function.block_ids().filter_map(|block| function.terminator_use(block)) {
        low[used.index()] = false;
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

/// An instruction that keeps a number's low bits: shifts to the left and back, or a mask, perhaps of a shift.
pub(crate) struct LowBits {
    pub(super) number: Operand,
    /// How many of the number's bits it keeps.
    pub(super) bits: u32,
    /// How many low bits a mask keeps of the shifted number; without a mask, the same as `bits`.
    pub(crate) left: u32,
    /// How many of the lowest bits a mask clears.
    pub(super) zeros: u32,
    /// By how much it is shifted back.
    pub(super) back: u32,
}

/// Matches such an instruction.
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
            // A number that is not negative has 31 bits.
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
