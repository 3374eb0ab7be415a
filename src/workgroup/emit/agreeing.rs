//! The gangs of a row in a region with guards. Whole gangs whose lanes agree on the guards have a body of their own,
//! without masks for them.

use std::collections::HashMap;

use oxicl_llvm::{Block, IntPredicate, Value};

use crate::emit::copy::Mapped;
use crate::emit::gangs::Known;
use crate::emit::guards::stretch;
use crate::emit::kernel::{Emitter, not_unrolled};
use crate::emit::places::{minimum, no_wrap};
use crate::emit::row::GangsOfRow;
use crate::emit::widen::Body;
use crate::failure::Result;
use crate::ir::InstId;
use crate::plan::gangs::Agreement;

/// The stretch that begins at a work-item, in one row or in several at once.
struct Ahead<'m> {
    /// For each gang length, the longest first, the local id behind its last whole gang that agrees. Its gangs begin
    /// where those of the length before end.
    ends: Vec<Value<'m>>,
    /// The results of the comparisons: a map for each row, or one map if they are the same in all rows.
    truths: Vec<HashMap<InstId, Value<'m>>>,
}

/// A row, or several at once, whose gangs have two bodies.
pub(super) struct Agreeing<'r, 'm> {
    pub(super) gangs: GangsOfRow<'r, 'm>,
    /// The body for any gang, and what gangs do that agree.
    pub(super) any: Body<'r, 'm>,
    pub(super) agreement: &'r Agreement,
}

impl<'m> Agreeing<'_, 'm> {
    /// Writes the gangs, stretch by stretch. Whole gangs that lie in a stretch run the body for those that agree. The
    /// next gang runs the body for any, and behind it the next stretch begins. The builder is where the row begins.
    pub(super) fn emit(&self) -> Result<()> {
        let GangsOfRow { e, row, .. } = self.gangs;
        let b = e.b;
        // The first look ahead is outside the loop: most rows are one stretch, and what rows share is computed once.
        let start = self.look_ahead(e.number(0))?;
        let here = e.here()?;
        let [from, part, next, more] = ["stretch", "part", "part.next", "stretch.next"].map(|name| e.block(name));
        b.br(from);
        b.position_at_end(from);
        let x = b.phi(e.number(0).ty());
        x.add_incoming(e.number(0), here);
        let now = start.phis(e, here);
        let known = now.known(self.gangs.known);
        // Whole gangs that lie in the stretch.
        let first = GangsOfRow { known: &known, ..self.gangs }.emit_whole(x, &now.ends, |rest| Body {
            graph: self.any.graph,
            course: &self.agreement.course,
            agreed: Some(&self.agreement.guards.conditions),
            idle: self.agreement.idle.map(|node| (node, rest)),
            may_be_whole: true,
        })?;
        b.cond_br(b.icmp(IntPredicate::Ult, first, row.size), part, row.rows.next);
        b.position_at_end(part);
        self.gangs.emit_at(self.any, None, first, next)?;
        b.position_at_end(next);
        let step = b.select(row.crosses, e.number(1), e.number(u64::from(row.lanes)));
        let following = no_wrap(b.add(first, step));
        b.cond_br(b.icmp(IntPredicate::Ult, following, row.size), more, row.rows.next);
        b.position_at_end(more);
        let again = self.look_ahead(following)?;
        let end = e.here()?;
        b.context().set_loop_properties(b.br(from), &[not_unrolled(b.context())]);
        x.add_incoming(following, end);
        now.add_incoming(&again, end);
        Ok(())
    }

    /// Computes how far the work-items from `x` on agree.
    fn look_ahead(&self, x: Value<'m>) -> Result<Ahead<'m>> {
        let GangsOfRow { e, regions, row, known, .. } = self.gangs;
        let (b, guards) = (e.b, &self.agreement.guards);
        let (zero, group) = (e.number(0), &regions.group.places);
        let differ = guards.compares.iter().any(|id| e.plan.of_row.get(id.index()).is_some_and(|differs| *differs));
        let count = if differ { row.at_once.count } else { 1 };
        let mut items = b.sub(row.size, x);
        let mut truths = Vec::new();
        for number in 0..u64::from(count) {
            let mut places = *group;
            let before = no_wrap(b.add(row.before, b.mul(group.size[0], e.number(number))));
            places.local_id = [x, no_wrap(b.add(row.rows.y, e.number(number))), row.rows.z];
            places.linear = no_wrap(b.add(before, x));
            let found = stretch(e, guards, places, &known.values)?;
            items = minimum(b, found.items, items);
            truths.push(found.truths);
        }
        let end = no_wrap(b.add(x, b.select(row.crosses, zero, items)));
        let (mut first, mut ends) = (x, Vec::new());
        for lanes in row.long {
            let within = e.number(u64::from(*lanes) - 1);
            let inside = b.sub(end, first);
            let mut whole = b.sub(inside, b.and(inside, within));
            // With barriers, longer gangs begin at multiples of their length, to have the same work-items again.
            if *lanes > row.lanes && e.function.has_cuts() {
                whole = b.select(b.icmp(IntPredicate::Eq, b.and(first, within), zero), whole, zero);
            }
            first = no_wrap(b.add(first, whole));
            ends.push(first);
        }
        Ok(Ahead { ends, truths })
    }
}

impl<'m> Ahead<'m> {
    /// Makes a phi of each value where the builder is, with the value as its entry for `from`.
    fn phis(&self, e: &Emitter<'_, 'm>, from: Block<'m>) -> Ahead<'m> {
        let phi = |value: &Value<'m>| {
            let phi = e.b.phi(value.ty());
            phi.add_incoming(*value, from);
            phi
        };
        let of_row = |truths: &HashMap<InstId, Value<'m>>| {
            let mut ids: Vec<_> = truths.keys().copied().collect();
            ids.sort_unstable();
            ids.into_iter().map(|id| (id, phi(&truths[&id]))).collect()
        };
        Ahead { ends: self.ends.iter().map(phi).collect(), truths: self.truths.iter().map(of_row).collect() }
    }

    /// Gives the phis the values from another block.
    fn add_incoming(&self, others: &Ahead<'m>, from: Block<'m>) {
        for (phi, value) in self.ends.iter().zip(&others.ends) {
            phi.add_incoming(*value, from);
        }
        for (phis, values) in self.truths.iter().zip(&others.truths) {
            for (id, phi) in phis {
                phi.add_incoming(values[id], from);
            }
        }
    }

    /// What is known before the row, and the results of the comparisons in the stretch.
    fn known(&self, known: &Known<'m>) -> Known<'m> {
        let mut known = known.clone();
        if let [first, others @ ..] = &self.truths[..] {
            known.values.extend(first.iter().map(|(id, value)| (*id, Mapped::Value(*value))));
            known.of_rows = others.to_vec();
        }
        known
    }
}
