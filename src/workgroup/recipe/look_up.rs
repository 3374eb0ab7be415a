//! In-register look-ups: which permutes make one, what they cost, and whether that is less than an access to memory.

use oxicl_target::Ability;

use crate::analyse::idioms::table::{Table, table};
use crate::ir::{InstId, Opcode};
use crate::prices::{Move, Number, Operation};
use crate::recipe::{Access, Recipes};

/// The permutes that look up elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Permutes {
    /// Of elements of at most 32 bits as words, out of at most two registers of 512 bits.
    Words,
    /// Of each byte of an element, out of pairs of such registers.
    Bytes,
    /// Of each byte of an element, out of 16 bytes at a time.
    Sixteen,
}

/// Bytes of a register of 512 bits.
pub(crate) const REGISTER: u32 = 64;

impl Recipes<'_, '_> {
    /// The cheapest look-up in a table, if it costs less than the access to memory does.
    pub(super) fn look_up(&self, id: InstId, access: Option<&Access>) -> Option<(Table, Permutes)> {
        let found = table(self.function, id)?;
        if !self.is_at_hand(found.index, self.function.inst(id).block) {
            return None;
        }
        let can = |permutes: &Permutes| match permutes {
            Permutes::Words => {
                let fits = found.element.size() <= 4 && 4 * found.count <= 2 * REGISTER;
                fits && self.vectors.can(Ability::Permute)
            }
            Permutes::Bytes => self.vectors.can(Ability::PermuteBytes),
            Permutes::Sixteen => self.vectors.can(Ability::ShuffleBytes),
        };
        let priced = [Permutes::Words, Permutes::Bytes, Permutes::Sixteen].into_iter().filter(can);
        let priced = priced.map(|permutes| (self.look_up_price(&found, permutes), permutes));
        let (price, permutes) = priced.min_by(|(one, _), (other, _)| one.total_cmp(other))?;
        let is_dearer = access.is_some_and(|access| self.access_price(access).gang <= price);
        (!is_dearer).then_some((found, permutes))
    }

    /// The price of a look-up: the index is narrowed or widened, each register of results is permuted from those of the
    /// table, and bytes are put together.
    pub(super) fn look_up_price(&self, table: &Table, permutes: Permutes) -> f64 {
        let (word, byte) = (Number::Int(32), Number::Int(8));
        let bytes = table.element.size() as u32;
        let index = Number::of(self.function.type_of(table.index));
        let narrowed = match index.bits() {
            8 => 0.0,
            _ => self.lanes_of(Operation::Cast(Opcode::Trunc, byte), index),
        };
        let together = match bytes {
            1 => 0.0,
            _ => f64::from(bytes.ilog2()) * self.lanes_of(Operation::Move(Move::PermuteTwo), Number::Int(8 * bytes)),
        };
        let each_byte = |found: f64| narrowed + f64::from(bytes) * found + together;
        // Tables fill registers, and so what is permuted does.
        let permuted = |number: Number| {
            let lanes = self.lanes.max(8 * REGISTER / number.bits());
            self.function.prices.of_lanes(Operation::Move(Move::PermuteTwo), number, lanes)
        };
        match permutes {
            Permutes::Words => permuted(word) + self.simple(word),
            Permutes::Bytes if table.count <= 2 * REGISTER => each_byte(permuted(byte)),
            Permutes::Bytes => {
                let chosen = self.lanes_of(Operation::Compare, byte) + self.lanes_of(Operation::Select, byte);
                each_byte(2.0 * permuted(byte) + chosen)
            }
            // The index is brought near, permutes, and adds to what was found before.
            Permutes::Sixteen => each_byte(f64::from(3 * table.count.div_ceil(16)) * self.simple(byte)),
        }
    }
}
