//! Induction live-outs: the value that each lane has of a loop's counter when it leaves a divergent loop. They are not
//! blended from the counter: each iteration adds the counter's step in the lanes that are still in the loop. That is
//! one masked operation for each register, which takes less time than splatting the counter first.

use oxicl_llvm::Value;

use crate::analyse::idioms::live_out::LiveOut;
use crate::emit::widen::region::Widener;
use crate::failure::{Result, failure};

impl<'m> Widener<'_, '_, 'm> {
    /// Lanes enter the loop: their counts start at what the phi would have from the iteration before the first.
    pub(crate) fn begin_count(&self, live_out: &LiveOut, lanes: Option<Value<'m>>) -> Result<()> {
        let mut first = self.component(live_out.start)?;
        if !live_out.is_next {
            first = self.b.sub(first, self.splat(self.llvm_constant(live_out.step)));
        }
        self.keep_count(live_out, lanes, |_| first)
    }

    /// Lanes of the mask have finished another iteration: adds the step.
    pub(crate) fn count_on(&self, live_out: &LiveOut, lanes: Option<Value<'m>>) -> Result<()> {
        self.keep_count(live_out, lanes, |old| self.b.add(old, self.splat(self.llvm_constant(live_out.step))))
    }

    fn keep_count(
        &self,
        live_out: &LiveOut,
        lanes: Option<Value<'m>>,
        new: impl FnOnce(Value<'m>) -> Value<'m>,
    ) -> Result<()> {
        let Some(place) = self.lanes_wait_at(live_out.phi) else { return failure("a counter without a place") };
        let old = self.b.load(self.vector(self.llvm_constant(live_out.step).ty()), place, 0);
        let new = new(old);
        self.b.store(lanes.map_or(new, |lanes| self.b.select(lanes, new, old)), place, 0);
        Ok(())
    }
}
