//! A second body of a divergent loop, without masks, in front of the usual one: for iterations that all lanes are in.

use std::rc::Rc;

use oxicl_llvm::{Block as LlvmBlock, Value};

use super::{Leaving, Widener};
use crate::analyse::course::Leave;
use crate::failure::{OrFail, Result, failure};
use crate::ir::Terminator;

impl<'e, 'm> Widener<'_, 'e, 'm> {
    /// Writes a loop's body for iterations that all lanes are in, if it has one and the gang may be whole. The builder
    /// is where the loop is entered, with its lanes in `places`; afterwards it is where the usual body begins.
    ///
    /// The header's phis stay in their places until the iteration is known to keep all lanes. If some lane leaves in
    /// it, the usual body begins with that iteration, header and all.
    pub(super) fn all_on(&mut self, number: usize, places: &[Value<'m>], leaving: &dyn Leaving<'e, 'm>) -> Result<()> {
        let course = self.course;
        let (Some(all_on), [place]) = (&course.all_on[number], places) else { return Ok(()) };
        if !self.may_be_whole || !self.rows.is_empty() {
            return Ok(());
        }
        let (b, l) = (self.b, &self.graph.loops[number]);
        let [first, rest] = ["all.on", "some.on"].map(|name| self.e.block(name));
        let mask = b.load(self.vector(b.context().int_type(1)), *place, 0);
        b.cond_br(self.all(mask), first, rest);
        let (values, state, masks) = (self.scalar.values.clone(), self.state.clone(), self.masks.clone());
        let (starts, bodies, checks) = (self.starts.clone(), self.bodies.clone(), self.checks.clone());
        let entry = self.entry.take();
        self.course = all_on;
        self.starts[l.header] = first;
        for node in l.header + 1..l.end {
            self.starts[node] = self.e.block("");
        }
        b.position_at_end(first);
        self.instructions(l.header)?;
        self.unless_left(number, rest)?;
        for node in l.header + 1..l.end {
            self.node(node, leaving)?;
        }
        (self.course, self.entry) = (course, entry);
        (self.scalar.values, self.state, self.masks) = (values, state, masks);
        (self.starts, self.bodies, self.checks) = (starts, bodies, checks);
        b.position_at_end(rest);
        Ok(())
    }

    /// Goes on with an iteration if all lanes stay in the loop, else branches to `rest`.
    fn unless_left(&mut self, number: usize, rest: LlvmBlock<'m>) -> Result<()> {
        let (b, graph, course) = (self.b, self.graph, self.course);
        let header = graph.loops[number].header;
        let block = graph.blocks[header];
        let (Terminator::Branch { condition: Some(condition), successors, .. }, Leave::Branch(edges)) =
            (&self.function.block(block).terminator, &course.leave[header])
        else {
            return failure("a loop that lanes leave otherwise than by a branch");
        };
        let edge = edges.iter().find(|edge| graph.is_in(edge.to, number)).or_fail("a loop without a way back")?;
        self.scalar.yields(block);
        let condition = self.component(*condition)?;
        let stay = if graph.numbers[&successors[0]] == edge.to { condition } else { b.not(condition) };
        let next = self.e.block("");
        b.cond_br(self.all(stay), next, rest);
        b.position_at_end(next);
        let counters = Rc::clone(&self.live_outs);
        for live_out in counters.iter().filter(|live_out| live_out.at == header) {
            self.for_rows(live_out.phi, |w| w.count_on(live_out, None))?;
        }
        self.edge(header, edge.to, &[None], &[None], true)?;
        self.jump(edge.jump, header)
    }
}
