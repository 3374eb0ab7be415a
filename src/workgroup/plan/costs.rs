//! What instructions cost a gang, by their recipes, and a work-item by itself, in cycles. Sums of these are compared.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use oxicl_target::Ability;

use crate::ir::{BlockId, Function, Inst, InstId, Opcode, Operand};

use crate::analyse::shape::{Shape, Shapes};
use crate::bounds::SEARCHED;
use crate::prices::{Number, Operation, overrides};
use crate::recipe::{Basis, Lanes, Price, Recipes, Width};

pub(crate) struct Costs<'f> {
    pub(crate) function: &'f Function<'f>,
    pub(crate) shapes: &'f Shapes,
    pub(crate) gang: Lanes,
    pub(super) lanes: f64,
    /// Conditions that cost a gang nothing: a row knows them before its gangs run.
    known: BTreeSet<InstId>,
    recipes: Recipes<'f, 'f>,
    /// What each instruction costs one work-item and a gang, once it was asked for.
    prices: Vec<OnceCell<(f64, Price)>>,
}

impl<'f, 'm> Costs<'f> {
    /// The costs with some values in AoS layout; `aos` is empty if there are none, or if that is not known yet.
    pub(crate) fn new(function: &'f Function<'m>, shapes: &'f Shapes, aos: &'f [bool], gang: Lanes) -> Self {
        let Lanes { lanes, vectors } = gang;
        let basis = Basis { function, shapes, aos, vectors, lanes, calls: None, streams: None };
        let lanes = f64::from(lanes);
        let prices = function.insts.iter().map(|_| OnceCell::new()).collect();
        let recipes = Recipes::new(basis, None);
        Costs { function, shapes, gang, lanes, known: BTreeSet::new(), recipes, prices }
    }

    /// The costs where gangs know some conditions, as those that agree on guards do.
    pub(super) fn knowing(self, known: BTreeSet<InstId>) -> Self {
        Costs { known, ..self }
    }

    pub(crate) fn inst(&self, id: InstId) -> &'f Inst<'f> {
        self.function.inst(id)
    }

    pub(crate) fn block(&self, block: BlockId) -> &'f [InstId] {
        &self.function.block(block).insts
    }

    pub(crate) fn shape(&self, operand: Operand) -> Shape {
        match operand {
            Operand::Inst(id) => self.shape_of(id),
            _ => self.shapes.of_operand(operand),
        }
    }

    /// The shape of an instruction for gangs that know what is `known`.
    pub(super) fn shape_of(&self, id: InstId) -> Shape {
        if self.known.contains(&id) { Shape::Row } else { self.shapes.of(id) }
    }

    /// What an instruction costs one work-item, and a gang.
    pub(super) fn of(&self, id: InstId) -> (f64, Price) {
        *self.prices[id.index()].get_or_init(|| {
            let price = if self.known.contains(&id) { Price::default() } else { self.recipes.price(id) };
            (self.recipes.single(id), price)
        })
    }

    /// What it costs a gang.
    pub(super) fn price(&self, id: InstId) -> Price {
        self.of(id).1
    }

    /// What an access by each lane for itself costs a gang more where lanes diverge.
    pub(super) fn apart(&self, id: InstId) -> f64 {
        let is_by_lane = !self.gang.vectors.can(Ability::Gather)
            && matches!(self.inst(id).opcode, Opcode::Load | Opcode::Store)
            && self.price(id).scattered;
        if is_by_lane { self.lanes * overrides::EXTRACTED_APART.cycles } else { 0.0 }
    }

    /// What an operation costs on one register of floats.
    pub(super) fn of_register(&self, operation: Operation) -> f64 {
        let number = Number::Float;
        self.function.prices.of_lanes(operation, number, (self.gang.vectors.bits / number.bits()).max(1))
    }

    /// What masks cost a gang at a divergent branch: two made and one tested, and as much for each further side.
    pub(super) fn masks(&self, sides: usize) -> f64 {
        3.0 * (sides as f64 - 1.0) * self.recipes.simple(Number::Int(32))
    }

    /// Is an instruction done once for all lanes? Stores are not, whatever their addresses.
    pub(super) fn is_shared(&self, id: InstId) -> bool {
        self.shape_of(id) != Shape::Varying && self.inst(id).opcode != Opcode::Store
    }

    /// Does a block end with a branch on comparisons of numbers that are affine in the lane, as of places with bounds?
    pub(super) fn is_by_place(&self, block: BlockId) -> bool {
        self.function.condition(block).is_some_and(|condition| self.compares_places(condition, SEARCHED))
    }

    fn compares_places(&self, condition: Operand, far: usize) -> bool {
        if self.shape(condition) != Shape::Varying {
            return true;
        }
        let Some(inst) = self.function.made_by(condition).filter(|_| far > 0) else { return false };
        match inst.opcode {
            Opcode::ICmp => inst.operands.iter().all(|operand| self.shape(*operand) != Shape::Varying),
            Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Select => {
                inst.operands.iter().all(|operand| self.compares_places(*operand, far - 1))
            }
            _ => false,
        }
    }

    /// Does a block end with a branch on data that varies, which a processor can only guess for a work-item by itself?
    pub(super) fn is_guessed(&self, block: BlockId) -> bool {
        let Some(Operand::Inst(condition)) = self.function.condition(block) else { return false };
        let varies = |id: &InstId| self.shape_of(*id) == Shape::Varying;
        let mut seen = vec![condition];
        let mut next = 0;
        while let Some(id) = seen.get(next).copied().filter(|id| next < SEARCHED && varies(id)) {
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

    /// How wide the result of an instruction is, if each part is a vector.
    pub(crate) fn width(&self, id: InstId) -> Width {
        self.recipes.width(id)
    }
}
