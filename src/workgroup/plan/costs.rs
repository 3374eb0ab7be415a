//! What instructions cost a gang, and a work-item by itself.
//!
//! The unit is about a cycle. The figures are those of processors with wide vectors: measured throughput of long runs of the
//! same operation, on data in the first cache. What is compared is sums of them, so only their proportions matter. The constants
//! here are costs.

use oxicl_llvm::{Module, Opcode, Type, TypeKind};
use oxicl_target::{Ability, Vectors};

use crate::analyse::idioms::comparison::is_short;
use crate::analyse::idioms::divisor::shared_divisor;
use crate::analyse::idioms::neighbours::{may_be_neighbours, may_walk};
use crate::analyse::idioms::pair::pair;
use crate::analyse::idioms::product::is_high_product;
use crate::analyse::idioms::record::record;
use crate::analyse::idioms::table::table;
use crate::analyse::leaves::{leaves_of, word_of};
use crate::analyse::shape::{Shape, Shapes};
use crate::arena::{BlockId, Function, Inst, InstId, Kind, Operand, Terminator};
use crate::bounds::estimate::FAR;
use crate::bounds::leaves::LONGEST;

/// How often lanes that may lie side by side do not, and what it costs to ask.
pub(crate) const OFTEN_APART: f64 = 0.6;

pub(crate) struct Costs<'f, 'm> {
    pub(crate) module: &'f Module<'m>,
    pub(crate) function: &'f Function<'f>,
    pub(crate) shapes: &'f Shapes,
    /// Which values lanes keep in one; empty if that is none, or not known.
    unsplit: &'f [bool],
    pub(crate) gang: Lanes,
    pub(super) lanes: f64,
    vectors: Vectors,
    /// Bits of a register.
    vector_bits: f64,
}

/// A gang, and the registers that it has its values in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lanes {
    pub(crate) lanes: u32,
    pub(crate) vectors: Vectors,
}

impl Lanes {
    /// Where the machine's registers are not to be asked for, the shortest that there are count.
    pub(crate) fn of(lanes: u32, mut vectors: Vectors) -> Lanes {
        const SHORTEST: u32 = 128;
        vectors.bits = vectors.bits.max(SHORTEST);
        Lanes { lanes, vectors }
    }
}

impl<'f, 'm> Costs<'f, 'm> {
    pub(crate) fn new(module: &'f Module<'m>, function: &'f Function<'m>, shapes: &'f Shapes, gang: Lanes) -> Self {
        let Lanes { lanes, vectors } = gang;
        let (lanes, vector_bits) = (f64::from(lanes), f64::from(vectors.bits));
        Costs { module, function, shapes, unsplit: &[], gang, lanes, vectors, vector_bits }
    }

    /// The same where lanes keep some values in one.
    pub(crate) fn with_unsplit(self, unsplit: &'f [bool]) -> Self {
        Costs { unsplit, ..self }
    }

    pub(crate) fn inst(&self, id: InstId) -> &'f Inst<'f> {
        self.function.inst(id)
    }

    pub(crate) fn block(&self, block: BlockId) -> &'f [InstId] {
        &self.function.block(block).insts
    }

    pub(crate) fn terminator(&self, block: BlockId) -> &'f Terminator<'f> {
        &self.function.block(block).terminator
    }

    pub(crate) fn size_of(&self, ty: Type<'_>) -> u64 {
        self.module.size_of(ty)
    }

    pub(crate) fn shape(&self, operand: Operand<'_>) -> Shape {
        self.shapes.of_operand(operand)
    }

    /// For one work-item, for a gang, and whether each lane goes to a place of its own.
    pub(super) fn of(&self, id: InstId) -> (f64, f64, bool) {
        let inst = self.function.inst(id);
        let lanes = self.lanes;
        if let Some(numbers) = self.numbers(id) {
            // Narrow numbers are taken apart in words, or by longer ways.
            let shuffles = match f64::from(self.size_of_access(inst)) {
                bytes if bytes < 4.0 => {
                    if numbers * bytes <= 4.0 {
                        1.0
                    } else {
                        3.0
                    }
                }
                _ => numbers.log2().ceil(),
            };
            return (0.4, self.registers(inst).0 * (1.0 + shuffles), false);
        }
        match inst.opcode {
            Opcode::Load => {
                let (single, gang, scattered) =
                    self.access(inst, self.in_one(Operand::Inst(id)), inst.value.ty(), inst.operands.first());
                let in_pair =
                    scattered && self.vectors.can(Ability::Gather) && pair(self.module, self.function, id).is_some();
                return (single, if in_pair { 0.5 * gang } else { gang }, scattered);
            }
            Opcode::Store => {
                let Some(ty) = inst.value.operand(0).map(|value| value.ty()) else { return (0.0, 0.0, false) };
                return self.access(inst, self.in_one(inst.operands[0]), ty, inst.operands.get(1));
            }
            Opcode::AtomicRmw | Opcode::AtomicCmpXchg => return (6.0, 3.0 * lanes, true),
            _ => {}
        }
        if self.shapes.of(id) != Shape::Varying {
            return (0.1, 0.3, false);
        }
        let (registers, parts) = self.registers_of(inst, self.in_one(Operand::Inst(id)));
        // A vector of the language is one or two of the machine's for a work-item by itself.
        let apart = self.apart(inst.value.ty(), parts);
        let bits = inst.value.ty().scalar();
        let bits = if bits.is_int() { bits.int_width() } else { 64 };
        match (&inst.kind, inst.opcode) {
            (Kind::Phi(_), _) => (0.1, 0.5 * self.cycle() * registers, false),
            // The place in one of several work-groups that run as one, by a product.
            (Kind::Query(query), _) if query.tells_groups_apart() => (0.3, 2.0 * registers, false),
            (Kind::Call, _) => (15.0, 5.0 * lanes, false),
            (Kind::Print | Kind::StorageClass | Kind::Barrier | Kind::Collective(..), _) => (10.0, 13.0 * lanes, false),
            (_, Opcode::UDiv | Opcode::SDiv | Opcode::URem | Opcode::SRem)
                if self.vectors.can(Ability::ConvertLong) =>
            {
                // By way of doubles, which narrower numbers take twice as many registers for.
                let each = if shared_divisor(self.function, self.shapes, inst).is_some() { 4.0 } else { 8.0 };
                (4.0 * parts, each * if bits == 32 { 2.0 * registers } else { registers }, false)
            }
            (_, Opcode::UDiv | Opcode::SDiv | Opcode::URem | Opcode::SRem) => {
                (4.0 * parts, if bits == 64 { 4.5 * lanes * parts } else { 16.0 * registers }, false)
            }
            (_, Opcode::Trunc) if is_high_product(self.function, inst) => (0.6 * parts, 7.0 * registers, false),
            // What that is made of.
            (_, Opcode::ZExt | Opcode::SExt | Opcode::Mul | Opcode::LShr) if bits == 128 => (0.1, 0.1, false),
            (_, Opcode::Mul) if bits == 64 => (0.5 * parts, 2.0 * registers, false),
            (_, Opcode::FDiv) => (3.0 * parts, 8.0 * registers, false),
            (_, Opcode::FRem | Opcode::Other) => (4.0 * parts, 6.0 * lanes * parts, false),
            // Parts of a value have names of their own in a gang.
            (_, Opcode::ExtractElement | Opcode::InsertElement | Opcode::ShuffleVector) => (0.5, 0.1 * parts, false),
            (_, Opcode::ExtractValue | Opcode::InsertValue) => (0.0, 0.0, false),
            (_, Opcode::Call) if inst.value.ty().kind() == TypeKind::Void => (4.0, 8.0 * lanes, true),
            _ => (0.3 * apart, self.cycle() * registers, false),
        }
    }

    /// A cost: what an operation takes on a register. Processors that have 512 bits do one on these where they, and others, do
    /// two or three on 256, nearly as many as on single numbers. (Measured with kernels of the device library's functions for
    /// x86-64-v3: gangs take 0.34 of the time for `pown`, 0.48 for `atan` of doubles, 0.62 for `lgamma`, where a whole cycle made
    /// that 1.06, 1.03 and 1.12; for x86-64-v2 0.49 for Newton's root of doubles.)
    fn cycle(&self) -> f64 {
        if self.vector_bits >= 512.0 { 1.0 } else { 0.4 }
    }

    /// Of how many numbers a record has that lanes access whole, if an access is to one of them.
    pub(super) fn numbers(&self, id: InstId) -> Option<f64> {
        let inst = self.function.inst(id);
        if !self.vectors.can(Ability::Gather) || !matches!(inst.opcode, Opcode::Load | Opcode::Store) {
            return None;
        }
        let record = record(self.module, self.function, self.shapes, id, self.lanes as u64)?;
        Some(record.members.len() as f64)
    }

    fn size_of_access(&self, inst: &Inst<'_>) -> u32 {
        let stored = inst.value.operand(0).filter(|_| inst.opcode == Opcode::Store);
        self.module.size_of(stored.map_or(inst.value.ty(), |value| value.ty())) as u32
    }

    /// Does each lane go to a place of its own?
    pub(crate) fn is_scattered(&self, id: InstId) -> bool {
        self.of(id).2
    }

    fn in_one(&self, operand: Operand<'_>) -> bool {
        matches!(operand, Operand::Inst(id) if self.unsplit.get(id.index()).is_some_and(|unsplit| *unsplit))
    }

    fn access(&self, inst: &Inst<'_>, in_one: bool, ty: Type<'_>, address: Option<&Operand<'_>>) -> (f64, f64, bool) {
        let shape = address.map_or(Shape::Varying, |address| self.shapes.of_operand(*address));
        let (registers, parts) = self.registers_of(inst, in_one);
        let bytes = self.module.size_of(ty) as i64;
        // Vectors of three, which lie in memory as four do, are often packed.
        let packed = self.module.size_of(ty.scalar()) as i64 * parts as i64;
        // Three bytes are three accesses for a work-item by itself.
        let is_three_bytes = packed == 3 && parts > 2.0;
        let single = 0.4 * if is_three_bytes { parts } else { self.apart(ty, parts) };
        match shape {
            Shape::Uniform | Shape::Row => (single, parts, false),
            Shape::Affine(stride) | Shape::Wrapping(stride)
                if (stride == bytes || stride == packed) && (in_one || parts * self.lanes <= LONGEST as f64)
                    || (parts == 1.0 && inst.opcode == Opcode::Load && is_picked(stride, bytes)) =>
            {
                // Several parts are taken from each other by shuffles, which only machines with long vectors have for narrow
                // numbers; or in words.
                let is_narrow = packed as f64 / parts < 4.0;
                let shuffles = match (parts > 1.0 && !in_one, is_narrow && !self.vectors.can(Ability::PermuteNarrow)) {
                    (false, _) => 0.0,
                    (true, false) => 1.0,
                    (true, true) if packed == 4 => 1.0,
                    (true, true) => 3.0,
                };
                (single, self.cycle() * registers * (1.0 + shuffles), false)
            }
            _ if self.vectors.can(Ability::Permute) && table(self.module, self.function, inst).is_some() => {
                (single, 2.0 * registers.max(self.lanes / 16.0), false)
            }
            Shape::Affine(_) if may_walk(self.function, ty) => {
                // One by one, from where the addresses need not be computed.
                let each = match inst.opcode {
                    Opcode::Store => 1.0,
                    // Each is put into its place by two operations.
                    _ if packed < 4 => 1.5,
                    _ => 0.6,
                };
                (single, each * self.lanes, true)
            }
            _ => {
                let store = inst.opcode == Opcode::Store;
                let element = bytes as f64 / parts;
                let words = match word_of(element as u64, parts as u64) {
                    Some(word) if self.vectors.can(Ability::Gather) => parts * element / word as f64,
                    _ if !store && self.vectors.can(Ability::Gather) && is_three_bytes => 2.0,
                    _ => parts,
                };
                let each = match (self.vectors.can(Ability::Gather), store) {
                    (false, _) => 2.0,
                    (_, true) => 1.7,
                    // Narrow numbers have to be found in their words.
                    _ if packed < 4 => 2.2,
                    _ => 1.4,
                };
                let neighbours = address.is_some_and(|at| may_be_neighbours(self.function, self.shapes, *at));
                (single, each * self.lanes * words * if neighbours { OFTEN_APART } else { 1.0 }, true)
            }
        }
    }

    /// Does a block end with a branch that depends on what each work-item has loaded from a place of its own?
    pub(super) fn is_guessed(&self, block: BlockId) -> bool {
        let Terminator::Branch { condition: Some(Operand::Inst(condition)), .. } =
            self.function.block(block).terminator
        else {
            return false;
        };
        let varies = |id: &InstId| self.shapes.of(*id) == Shape::Varying;
        let mut seen = vec![condition];
        let mut next = 0;
        while let Some(id) = seen.get(next).copied().filter(|id| next < FAR && varies(id)) {
            next += 1;
            let inst = self.function.inst(id);
            if inst.opcode == Opcode::Load {
                return true;
            }
            for operand in &inst.operands {
                if let Operand::Inst(used) = operand
                    && varies(used)
                    && !seen.contains(used)
                {
                    seen.push(*used);
                }
            }
        }
        false
    }

    /// Instructions that a work-item by itself has for a value of so many parts.
    fn apart(&self, ty: Type<'_>, parts: f64) -> f64 {
        if ty.is_vector() { (self.module.size_of(ty) as f64 * 8.0 / self.vector_bits.min(256.0)).ceil() } else { parts }
    }

    /// Is it arithmetic of numbers of 64 bits that lanes do not share?
    pub(super) fn is_wide(&self, inst: &Inst<'_>) -> bool {
        use Opcode::{Add, And, Call, FAdd, FDiv, FMul, FNeg, FSub, Mul, Or, Shl, Sub, Xor};
        let ty = inst.value.ty().scalar();
        let wide = ty.kind() == TypeKind::Double || (ty.is_int() && ty.int_width() == 64);
        wide && matches!(inst.opcode, Add | And | Call | FAdd | FDiv | FMul | FNeg | FSub | Mul | Or | Shl | Sub | Xor)
    }

    /// Vector registers of an instruction's values, and its parts.
    pub(crate) fn registers(&self, inst: &Inst<'_>) -> (f64, f64) {
        self.registers_of(inst, false)
    }

    /// The same of one that may be kept in one: then small numbers fill registers.
    fn registers_of(&self, inst: &Inst<'_>, in_one: bool) -> (f64, f64) {
        let first = inst.value.operand(0).map(|value| value.ty()).filter(|ty| !ty.is_pointer());
        let ty = match inst.opcode {
            Opcode::Store | Opcode::ICmp | Opcode::FCmp => first.unwrap_or(inst.value.ty()),
            _ => inst.value.ty(),
        };
        let parts = leaves_of(ty).map_or(1.0, |leaves| leaves.len() as f64).max(1.0);
        let bits = match ty.scalar().kind() {
            _ if is_short(self.function, self.shapes, inst) => 32.0,
            TypeKind::Integer => f64::from(ty.scalar().int_width().max(8)),
            TypeKind::Half | TypeKind::BFloat => 16.0,
            TypeKind::Float => 32.0,
            _ => 64.0,
        };
        let each = bits * self.lanes / self.vector_bits;
        (if in_one { (parts * each).max(1.0).ceil() } else { parts * each.max(1.0).ceil() }, parts)
    }
}

/// Does a vector of what lies at this stride hold one number in several, of which these are picked?
fn is_picked(stride: i64, bytes: i64) -> bool {
    (1..=4).any(|factor| stride == factor * bytes)
}
