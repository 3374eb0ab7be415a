//! What instructions cost a gang, by their recipes, and a work-item by itself.
//!
//! The unit is about a cycle. The figures are those of processors with wide vectors: measured throughput of long runs of the
//! same operation, on data in the first cache. What is compared is sums of them, so only their proportions matter. The constants
//! here are costs.

use std::cell::OnceCell;

use oxicl_llvm::{Module, Opcode, Type, TypeKind};
use oxicl_target::Vectors;

use crate::analyse::shape::{Shape, Shapes};
use crate::arena::{BlockId, Function, Inst, InstId, Kind, Operand, Terminator};
use crate::bounds::estimate::FAR;
use crate::recipe::{Basis, Price, Recipe, Recipes, Width};

pub(crate) struct Costs<'f, 'm> {
    pub(crate) module: &'f Module<'m>,
    pub(crate) function: &'f Function<'f>,
    pub(crate) shapes: &'f Shapes,
    pub(crate) gang: Lanes,
    pub(super) lanes: f64,
    /// Bits of a register.
    vector_bits: f64,
    recipes: Recipes<'f, 'f>,
    /// What each instruction costs one work-item, and a gang, once it was asked for.
    prices: Vec<OnceCell<(f64, Price)>>,
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
        let basis = Basis { module, function, shapes, aos: &[], vectors, lanes };
        let (lanes, vector_bits) = (f64::from(lanes), f64::from(vectors.bits));
        let prices = function.insts.iter().map(|_| OnceCell::new()).collect();
        let recipes = Recipes::new(basis, None);
        Costs { module, function, shapes, gang, lanes, vector_bits, recipes, prices }
    }

    /// The same where lanes keep some values in AoS layout.
    pub(crate) fn with_aos(self, aos: &'f [bool]) -> Self {
        let recipes = Recipes::new(Basis { aos, ..*self.recipes }, None);
        let prices = self.function.insts.iter().map(|_| OnceCell::new()).collect();
        Costs { recipes, prices, ..self }
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
        let (single, price) = self.both(id);
        (single, price.gang, price.scattered)
    }

    /// What an instruction costs one work-item, and a gang.
    fn both(&self, id: InstId) -> (f64, Price) {
        *self.prices[id.index()].get_or_init(|| (self.alone(id), self.recipes.price(id)))
    }

    /// What an instruction costs one work-item by itself.
    fn alone(&self, id: InstId) -> f64 {
        let inst = self.function.inst(id);
        let parts = self.width(id).parts;
        let bits = inst.value.ty().scalar();
        let bits = if bits.is_int() { bits.int_width() } else { 64 };
        match (&inst.kind, inst.opcode) {
            (_, Opcode::Load | Opcode::Store) => self.accessed_alone(inst, parts),
            (_, Opcode::AtomicRmw | Opcode::AtomicCmpXchg) => 6.0,
            _ if self.shapes.of(id) != Shape::Varying => 0.1,
            (Kind::Phi(_), _) => 0.1,
            (Kind::Query(query), _) if query.tells_groups_apart() => 0.3,
            (Kind::Call, _) => 15.0,
            (Kind::Print | Kind::StorageClass | Kind::Barrier | Kind::NamedBarrier(_) | Kind::Collective(..), _) => {
                10.0
            }
            (_, Opcode::UDiv | Opcode::SDiv | Opcode::URem | Opcode::SRem) => 4.0 * parts,
            (_, Opcode::Trunc) if matches!(*self.recipes.of(id), Recipe::HighProduct(_)) => 0.6 * parts,
            // What that is made of.
            (_, Opcode::ZExt | Opcode::SExt | Opcode::Mul | Opcode::LShr) if bits == 128 => 0.1,
            (_, Opcode::Mul) if bits == 64 => 0.5 * parts,
            (_, Opcode::FDiv) => 3.0 * parts,
            (_, Opcode::FRem | Opcode::Other) => 4.0 * parts,
            (_, Opcode::ExtractElement | Opcode::InsertElement | Opcode::ShuffleVector) => 0.5,
            (_, Opcode::ExtractValue | Opcode::InsertValue) => 0.0,
            (_, Opcode::Call) if inst.value.ty().kind() == TypeKind::Void => 4.0,
            _ => 0.3 * self.apart(inst.value.ty(), parts),
        }
    }

    /// What a load or store of so many parts costs one work-item.
    fn accessed_alone(&self, inst: &Inst<'_>, parts: f64) -> f64 {
        let stored = inst.value.operand(0).filter(|_| inst.opcode == Opcode::Store);
        let ty = stored.map_or(inst.value.ty(), |value| value.ty());
        // Three bytes are three accesses for a work-item by itself.
        let is_three_bytes = self.module.size_of(ty.scalar()) as f64 * parts == 3.0 && parts > 2.0;
        0.4 * if is_three_bytes { parts } else { self.apart(ty, parts) }
    }

    /// Of how many numbers a record has that lanes access whole, if an access is to one of them.
    pub(super) fn numbers(&self, id: InstId) -> Option<f64> {
        self.both(id).1.numbers
    }

    /// Does each lane go to a place of its own?
    pub(crate) fn is_scattered(&self, id: InstId) -> bool {
        self.both(id).1.scattered
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

    /// Instructions that a work-item by itself has for a value of so many parts: a vector of the language is one or two of the
    /// machine's.
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

    /// How wide an instruction's values are, if each part is a vector.
    pub(crate) fn width(&self, id: InstId) -> Width {
        self.recipes.width(id, false)
    }
}
