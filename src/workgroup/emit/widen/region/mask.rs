//! Masks: which lanes run a block, or wait for it.

use oxicl_llvm::{IntPredicate, Value};

use super::{Active, Widener};
use crate::analyse::course::Mask;

impl<'e, 'm> Widener<'_, 'e, 'm> {
    /// A mask as a vector, all ones where there is none.
    pub(crate) fn full(&self, mask: Active<'m>) -> Value<'m> {
        mask.unwrap_or_else(|| self.vector(self.b.context().int_type(1)).all_ones())
    }

    /// A mask as an integer of one bit per lane.
    pub(crate) fn bits(&self, mask: Value<'m>) -> Value<'m> {
        self.b.bit_cast(mask, self.b.context().int_type(self.lanes))
    }

    pub(crate) fn any(&self, mask: Value<'m>) -> Value<'m> {
        let bits = self.bits(mask);
        self.b.icmp(IntPredicate::Ne, bits, bits.ty().zero())
    }

    /// The lanes of the mask for which a condition holds. In other lanes the condition may be poison.
    pub(crate) fn narrow(&self, mask: Active<'m>, condition: Value<'m>) -> Value<'m> {
        match mask {
            Some(mask) => self.b.select(mask, condition, mask.ty().zero()),
            None => condition,
        }
    }

    /// Are all lanes of the gang in a mask?
    pub(crate) fn all(&self, mask: Value<'m>) -> Value<'m> {
        let bits = self.bits(mask);
        self.b.icmp(IntPredicate::Eq, bits, bits.ty().all_ones())
    }

    /// The mask of a node whose block has begun, in the current row.
    pub(crate) fn mask(&self, node: usize) -> Active<'m> {
        self.of_this_row(&self.masks_of(node)).flatten()
    }

    /// The masks of a node whose block has begun, one per mask that is kept.
    pub(crate) fn masks_of(&self, node: usize) -> Vec<Active<'m>> {
        let own = |node: usize| self.masks.get(&node).map(|masks| masks.iter().copied().map(Some).collect());
        let masks = match self.course.masks[node] {
            Mask::Entry => None,
            Mask::Own => own(node),
            Mask::Of(other) => own(other),
        };
        masks.unwrap_or_else(|| vec![self.entry; self.mask_count()])
    }

    /// Adds lanes to the masks of a node, if it has masks of its own.
    pub(crate) fn add_lanes(&self, node: usize, lanes: &[Active<'m>]) {
        for (place, lanes) in self.mask_places.get(&node).into_iter().flatten().zip(lanes) {
            let new = match lanes {
                Some(lanes) => {
                    let old = self.b.load(lanes.ty(), *place, 0);
                    self.b.or(old, *lanes)
                }
                None => self.full(None),
            };
            self.b.store(new, *place, 0);
        }
    }

    /// The lanes that wait for a node: its masks, followed by their union if there are several.
    pub(crate) fn load_masks(&self, places: &[Value<'m>]) -> Vec<Value<'m>> {
        let mask_type = self.vector(self.b.context().int_type(1));
        let mut masks: Vec<_> = places.iter().map(|place| self.b.load(mask_type, *place, 0)).collect();
        if let [_, _, ..] = masks[..] {
            masks.extend(masks.clone().into_iter().reduce(|left, right| self.b.or(left, right)));
        }
        masks
    }

    /// Does some lane wait for a node, in any row?
    pub(crate) fn any_waits(&self, places: &[Value<'m>]) -> Value<'m> {
        let masks = self.load_masks(places);
        masks.last().map_or_else(|| self.b.context().int_type(1).zero(), |mask| self.any(*mask))
    }
}
