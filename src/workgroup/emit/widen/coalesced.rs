//! Ids of work-items in coalesced work-groups, which run as one.

use oxicl_abi::COALESCED_ITEMS;
use oxicl_llvm::{Opcode, Value};
use oxicl_ops::Query;

use crate::emit::places::no_wrap;
use crate::emit::widen::region::Widener;

/// Needed for correctness: fraction bits of an inverse, which is rounded up. For sizes up to 32, its product with a
/// place among the coalesced work-items has the quotient's integer part, and fits 32 bits.
const INVERSE_BITS: u32 = 18;
const _: () = assert!(COALESCED_ITEMS * 32 < 1 << INVERSE_BITS && COALESCED_ITEMS << INVERSE_BITS <= 1 << 31);

impl<'m> Widener<'_, '_, 'm> {
    /// The answers to a query for all lanes: from the place along x in all work-groups, divided by the size of one.
    pub(crate) fn place_in_group(&self, query: Query) -> Value<'m> {
        let (b, i32_type, i64_type) = (self.b, self.b.context().int_type(32), self.b.context().int_type(64));
        let places = &self.scalar.places;
        let number = |number: u64| i32_type.const_int(number);
        let size = b.trunc(places.local_size[0], i32_type);
        let x = self.steps_from(b.trunc(places.local_id[0], i32_type), 1);
        let group = match places.local_size[0].as_u64() {
            Some(size) if size.is_power_of_two() => b.lshr(x, self.splat(number(u64::from(size.ilog2())))),
            _ => {
                let rounded_up = b.add(b.binary(Opcode::UDiv, number((1 << INVERSE_BITS) - 1), size), number(1));
                b.lshr(b.mul(x, self.splat(rounded_up)), self.splat(number(u64::from(INVERSE_BITS))))
            }
        };
        let before = b.mul(group, self.splat(size));
        let long = |short: Value<'m>| b.cast(Opcode::ZExt, short, self.vector(i64_type));
        match query {
            Query::GroupId(_) => b.add(self.splat(places.group_id[0]), long(group)),
            Query::LocalLinearId => {
                let rows = no_wrap(b.mul(places.rows_before(b), places.coalesced_size(b)));
                b.add(self.splat(rows), long(b.sub(x, before)))
            }
            _ => long(b.sub(x, before)),
        }
    }
}
