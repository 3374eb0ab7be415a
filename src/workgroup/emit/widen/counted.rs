//! Counters of a loop that lanes leave in different iterations, as each lane has them when it leaves. That need not be put
//! together from what all have in each iteration: lanes that are still there advance by the counter's step, those that left do
//! not. It is one operation for each register, under the mask; to spread the counter over the lanes first takes machines
//! longer.

use oxicl_llvm::Value;

use crate::analyse::idioms::counted::Counted;
use crate::emit::widen::region::Widener;
use crate::failure::{Failure, failure};

impl<'m> Widener<'_, '_, 'm> {
    /// Lanes go into the loop: what a phi behind it would have of the iteration before.
    pub(crate) fn begin_count(&self, counted: &Counted<'m>, lanes: Option<Value<'m>>) -> Result<(), Failure> {
        let mut first = self.leaf(counted.start)?;
        if !counted.is_next {
            first = self.b.sub(first, self.splat(counted.step));
        }
        self.keep_count(counted, lanes, |_| first)
    }

    /// Lanes of the mask have had another iteration.
    pub(crate) fn count_on(&self, counted: &Counted<'m>, lanes: Option<Value<'m>>) -> Result<(), Failure> {
        self.keep_count(counted, lanes, |old| self.b.add(old, self.splat(counted.step)))
    }

    fn keep_count(
        &self,
        counted: &Counted<'m>,
        lanes: Option<Value<'m>>,
        new: impl FnOnce(Value<'m>) -> Value<'m>,
    ) -> Result<(), Failure> {
        let Some(place) = self.lanes_wait_at(counted.phi) else { return failure("a counter without a place") };
        let old = self.b.load(self.vector(counted.step.ty()), place, 0);
        let new = new(old);
        self.b.store(lanes.map_or(new, |lanes| self.b.select(lanes, new, old)), place, 0);
        Ok(())
    }
}
