//! Two loads of which one is of the number behind the other's, as interpolation has them: lanes that each go to a place of their
//! own gather both at once, as one number of twice the bits.

use oxicl_llvm::Value;

use crate::analyse::idioms::pair::pair;
use crate::analyse::idioms::table::table;
use crate::analyse::shape::Shape;
use crate::arena::InstId;
use crate::emit::widen::access::Address;
use crate::emit::widen::piece::Widener;
use crate::failure::Failure;

impl<'m> Widener<'_, '_, 'm> {
    /// What lanes load as the earlier part of a pair; the later one is loaded too. `None` if that is no way.
    pub(crate) fn load_pair(&mut self, id: InstId, mask: Option<Value<'m>>) -> Result<Option<Vec<Value<'m>>>, Failure> {
        if !self.e.plan.gathers() {
            return Ok(None);
        }
        let Some(pair) = pair(self.e.module, self.function, id) else { return Ok(None) };
        let value = self.function.inst(id).value;
        let (ty, address) = (value.ty(), pair.address);
        let known = self.state.wide.contains_key(&pair.later) || self.state.variables.contains_key(&pair.later);
        if known || table(self.e.module, self.function, self.function.inst(id)).is_some() {
            return Ok(None);
        }
        // What advances by a stride, mostly, is no gather.
        if self.shape(address) != Shape::Varying
            || self.unit(address).is_some()
            || self.asks_for_neighbours(ty, address)
        {
            return Ok(None);
        }
        let Address::Each(pointers) = self.address(address)? else { return Ok(None) };
        let align = value.alignment().min(self.function.inst(pair.later).value.alignment());
        let Some(both) = self.gather_words(ty, 2, pointers, mask, align)? else { return Ok(None) };
        let [lower, upper] = both[..] else { return Ok(None) };
        let (own, other) = if pair.in_order { (lower, upper) } else { (upper, lower) };
        self.state.wide.insert(pair.later, vec![other]);
        Ok(Some(vec![own]))
    }
}
