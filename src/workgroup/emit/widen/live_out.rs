//! Counters of a loop that lanes leave in different iterations, as each lane has them when it leaves. That need not be put
//! together from what all have in each iteration: lanes that are still there advance by the counter's step, those that left do
//! not. It is one operation for each register, under the mask; to spread the counter over the lanes first takes machines
//! longer.

use oxicl_llvm::Value;

use crate::analyse::idioms::live_out::LiveOut;
use crate::emit::widen::region::Widener;
use crate::failure::{Failure, failure};

impl<'m> Widener<'_, '_, 'm> {
    /// Lanes go into the loop: what a phi behind it would have of the iteration before.
    pub(crate) fn begin_count(&self, live_out: &LiveOut, lanes: Option<Value<'m>>) -> Result<(), Failure> {
        let mut first = self.component(live_out.start)?;
        if !live_out.is_next {
            first = self.b.sub(first, self.splat(self.llvm_constant(live_out.step)));
        }
        self.keep_count(live_out, lanes, |_| first)
    }

    /// Lanes of the mask have had another iteration.
    pub(crate) fn count_on(&self, live_out: &LiveOut, lanes: Option<Value<'m>>) -> Result<(), Failure> {
        self.keep_count(live_out, lanes, |old| self.b.add(old, self.splat(self.llvm_constant(live_out.step))))
    }

    fn keep_count(
        &self,
        live_out: &LiveOut,
        lanes: Option<Value<'m>>,
        new: impl FnOnce(Value<'m>) -> Value<'m>,
    ) -> Result<(), Failure> {
        let Some(place) = self.lanes_wait_at(live_out.phi) else { return failure("a counter without a place") };
        let old = self.b.load(self.vector(self.llvm_constant(live_out.step).ty()), place, 0);
        let new = new(old);
        self.b.store(lanes.map_or(new, |lanes| self.b.select(lanes, new, old)), place, 0);
        Ok(())
    }
}
