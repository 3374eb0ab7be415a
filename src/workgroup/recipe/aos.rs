//! Values of vector types that lanes keep in AoS layout: all parts of the first lane, then the second's.

use crate::ir::{Elementwise, Inst, InstId, Opcode, Operand};

use crate::analyse::instructions::one_part;
use crate::recipe::{Recipe, Recipes};

/// How a value in AoS layout is computed.
pub(crate) enum Aos {
    /// By the operation itself on all parts of all lanes.
    Operation,
    /// By the vector form of an intrinsic.
    Intrinsic(&'static Elementwise),
    /// By broadcasting a number to all parts of a lane: each lane's own number, or one of all lanes.
    Number(Operand),
    /// By broadcasting one SoA component of a vector to all parts of a lane.
    Part(Operand, u32),
}

impl<'m> Recipes<'_, 'm> {
    /// The recipe of an instruction whose result is kept in AoS layout.
    pub(super) fn as_aos(&self, id: InstId) -> Option<Recipe> {
        let inst = self.function.inst(id);
        Some(Recipe::Aos(match inst.opcode {
            Opcode::Call => Aos::Intrinsic(inst.elementwise()?),
            Opcode::ShuffleVector => self.spread(inst).unwrap_or(Aos::Operation),
            _ => Aos::Operation,
        }))
    }

    /// A shuffle that broadcasts one part of an operand to all parts.
    fn spread(&self, inst: &Inst<'m>) -> Option<Aos> {
        let from = self.function.type_at(inst, 0)?.parts();
        let (operand, part) = one_part(inst.shuffle_mask(), from)?;
        let operand = inst.operands[operand];
        let number = self.inserted_at(operand, part).filter(|number| self.is_at_hand(*number, inst.block));
        if let Some(number) = number {
            return Some(Aos::Number(number));
        }
        let as_aos = matches!(operand, Operand::Inst(id) if self.keeps_aos(id));
        (!as_aos && !self.shape(operand).is_row_uniform()).then_some(Aos::Part(operand, part))
    }

    /// The number that an insertion puts into a part of a vector, if that insertion made the vector.
    fn inserted_at(&self, operand: Operand, part: u32) -> Option<Operand> {
        let inst = self.function.made_by(operand)?;
        let index = self.function.u64_at(inst, 2);
        (inst.opcode == Opcode::InsertElement && index == Some(u64::from(part))).then(|| inst.operands[1])
    }
}
