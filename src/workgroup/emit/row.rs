//! A row of a work-group, or several at once: the loops over its gangs.

use oxicl_llvm::{Block as LlvmBlock, IntPredicate, Value};
use oxicl_target::Ability;

use crate::analyse::regions::Region;
use crate::emit::agreeing::Agreeing;
use crate::emit::gangs::{Known, emit_gang};
use crate::emit::kernel::Emitter;
use crate::emit::loops::{Counter, Rows, count, count_rows, count_together, crosses, emit_span};
use crate::emit::places::{Places, minimum, no_wrap};
use crate::emit::regions::Regions;
use crate::emit::vector::splat_to;
use crate::emit::widen::{Active, Body};
use crate::failure::Result;
use crate::plan::gangs::GangRegion;
use crate::plan::rows::Together;

/// How many rows go through a region at once, and whether each has masks of its own. `divergent` is where rows go that
/// do not agree on a branch, and the frame slot of the local id at which their gang begins.
#[derive(Clone, Copy)]
pub(super) struct AtOnce<'m> {
    pub(super) count: u32,
    pub(super) own_masks: bool,
    pub(super) divergent: Option<(LlvmBlock<'m>, Value<'m>)>,
}

impl AtOnce<'_> {
    pub(super) const ONE: Self = AtOnce { count: 1, own_masks: false, divergent: None };
}

/// A row, or several that go through a region at once, and its gangs.
pub(super) struct Row<'r, 'm> {
    pub(super) rows: &'r Rows<'m>,
    /// The number of work-items in the row, and in the rows before it.
    pub(super) size: Value<'m>,
    pub(super) before: Value<'m>,
    /// Do its work-items run one by one, as ids cross a multiple of 2^31 or a checked number wraps?
    pub(super) crosses: Value<'m>,
    pub(super) at_once: AtOnce<'m>,
    /// Lanes of gangs that may be partial.
    pub(super) lanes: u32,
    /// Lanes of gangs that are whole, the longest first.
    pub(super) long: &'r [u32],
}

/// Where a gang begins, and where it goes when it is done.
#[derive(Clone, Copy)]
pub(super) struct Start<'m> {
    pub(super) lanes: u32,
    /// The first lane's place.
    pub(super) places: Places<'m>,
    /// The mask of lanes that enter; all if it is `None`.
    pub(super) entry: Active<'m>,
    pub(super) done: LlvmBlock<'m>,
}

/// A loop over gangs of a row.
pub(super) struct Ends<'m> {
    /// The header and the latch.
    pub(super) gang: LlvmBlock<'m>,
    pub(super) next: LlvmBlock<'m>,
    /// The block in front of the loop, and the first local id.
    pub(super) from: LlvmBlock<'m>,
    pub(super) first: Value<'m>,
    /// Work-items from one gang to the next.
    pub(super) step: Value<'m>,
    /// The local id at which the loop ends, and the block that it goes to.
    pub(super) limit: Value<'m>,
    pub(super) after: LlvmBlock<'m>,
}

/// What it takes to write a region for the gangs of a row.
#[derive(Clone, Copy)]
pub(super) struct GangsOfRow<'r, 'm> {
    pub(super) e: &'r Emitter<'r, 'm>,
    pub(super) regions: &'r Regions<'r, 'm>,
    pub(super) region: &'r Region,
    pub(super) row: &'r Row<'r, 'm>,
    pub(super) known: &'r Known<'m>,
}

impl<'m> GangsOfRow<'_, 'm> {
    /// Writes the gangs of one row or more: whole ones of each length, then the rest; by stretches with an agreement.
    pub(super) fn emit_row(self, of_gangs: &GangRegion) -> Result<()> {
        let GangsOfRow { e, row, .. } = self;
        let (b, any, zero) = (e.b, Body::of_any(of_gangs), e.number(0));
        if let Some(agreement) = &of_gangs.agreement {
            return Agreeing { gangs: self, any, agreement }.emit();
        }
        let whole = |lanes: &u32| {
            let whole = b.and(row.size, b.context().int_type(64).const_signed(-i64::from(*lanes)));
            b.select(row.crosses, zero, whole)
        };
        let step = b.select(row.crosses, e.number(1), e.number(u64::from(row.lanes)));
        let ends: Vec<_> = row.long.iter().map(whole).collect();
        let first = self.emit_whole(zero, &ends, |_| any)?;
        let from = e.here()?;
        let [gang, next] = ["part", "part.next"].map(|name| e.block(name));
        match row.long {
            [] => b.br(gang),
            _ => b.cond_br(b.icmp(IntPredicate::Ult, first, row.size), gang, row.rows.next),
        };
        let ends = Ends { gang, next, from, first, step, limit: row.size, after: row.rows.next };
        self.emit_loop(any, None, ends)
    }

    /// Writes a loop over whole gangs for each length, from work-item `x` on. Each loop begins where the one before
    /// ended, and runs up to its end in `ends`. `body` takes the block behind a loop, and gives what its gangs run. The
    /// builder is left behind the last loop; the result is the first work-item that is left.
    pub(super) fn emit_whole<'w>(
        self,
        x: Value<'m>,
        ends: &[Value<'m>],
        body: impl Fn(LlvmBlock<'m>) -> Body<'w, 'm>,
    ) -> Result<Value<'m>> {
        let (e, b) = (self.e, self.e.b);
        let mut from = e.here()?;
        let mut first = x;
        for (lanes, end) in self.row.long.iter().zip(ends) {
            let [gang, next, rest] = ["gang", "gang.next", "gangs.rest"].map(|name| e.block(name));
            b.cond_br(b.icmp(IntPredicate::Ne, *end, first), gang, rest);
            let step = e.number(u64::from(*lanes));
            let ends = Ends { gang, next, from, first, step, limit: *end, after: rest };
            self.emit_loop(body(rest), Some(*lanes), ends)?;
            b.position_at_end(rest);
            (from, first) = (rest, *end);
        }
        Ok(first)
    }

    /// Writes a loop over gangs of a row: whole ones of `whole` lanes, or those that may be partial.
    fn emit_loop(self, body: Body<'_, 'm>, whole: Option<u32>, ends: Ends<'m>) -> Result<()> {
        let (e, b) = (self.e, self.e.b);
        let Counter { now: x, following } = count(e, ends.gang, ends.next, ends.from, ends.first, ends.step);
        e.go_on(b.icmp(IntPredicate::Ult, following, ends.limit), ends.gang, ends.after);
        b.position_at_end(ends.gang);
        self.emit_at(body, whole, x, ends.next)
    }

    /// Writes what such a gang does that begins at the local id `x`; then control goes to `next`.
    pub(super) fn emit_at(
        self,
        body: Body<'_, 'm>,
        whole: Option<u32>,
        x: Value<'m>,
        next: LlvmBlock<'m>,
    ) -> Result<()> {
        let GangsOfRow { e, regions, region, row, known } = self;
        let b = e.b;
        if let Some((_, place)) = row.at_once.divergent {
            b.store(x, place, 8);
        }
        let mut places = regions.group.places;
        places.local_id = [x, row.rows.y, row.rows.z];
        places.linear = no_wrap(b.add(row.before, x));
        let left = b.sub(row.size, x);
        let lanes = whole.unwrap_or(row.lanes);
        let partial = || lanes_below(e, lanes, b.select(row.crosses, e.number(1), left));
        let entry = whole.is_none().then(partial);
        // Without code for whole gangs, this gang may be whole.
        let body = Body { may_be_whole: entry.is_none() || row.long.is_empty(), ..body };
        emit_gang(e, regions, region, known, body, row.at_once, Start { lanes, places, entry, done: next })
    }
}

/// The mask of the first `count` lanes; where masks are vectors, of 32 bits, as wide as most numbers.
pub(super) fn lanes_below<'m>(e: &Emitter<'_, 'm>, lanes: u32, count: Value<'m>) -> Value<'m> {
    let b = e.b;
    let vectors = e.plan.basis(e.function, lanes).vectors;
    let is_long = vectors.can(Ability::Masks) || !vectors.can(Ability::ChooseBySign);
    let word = b.context().int_type(if is_long { 64 } else { 32 });
    let numbers: Vec<_> = (0..u64::from(lanes)).map(|lane| word.const_int(lane)).collect();
    let all = e.number(u64::from(lanes));
    let count = match is_long {
        true => count,
        false => b.trunc(minimum(b, count, all), word),
    };
    b.icmp(IntPredicate::Ult, b.context().const_vector(&numbers), splat_to(b, count, lanes))
}

/// Writes the loop over the rows that go through the region together, and gives the loop over the rest.
pub(super) fn emit_together<'m>(
    e: &Emitter<'_, 'm>,
    regions: &Regions<'_, 'm>,
    region: &Region,
    of_gangs: &GangRegion,
    lanes: u32,
    together: &Together,
    known: &Known<'m>,
) -> Result<Rows<'m>> {
    let (b, group, zero) = (e.b, &regions.group.places, e.number(0));
    let [some, others, done] = ["rows", "rows.others", "rows.done"].map(|name| e.block(name));
    let count = count_together(e, group, together.count);
    // Ids cross a multiple of 2^31 in all rows or in none, and so do numbers wrap.
    let count = b.select(crosses(e, group, zero, zero)?, zero, count);
    b.cond_br(b.icmp(IntPredicate::Ne, count, zero), some, others);
    b.position_at_end(some);
    let rows = emit_span(e, group, zero, count, together.count)?;
    let long = [together.lanes];
    let long = if together.lanes > lanes || of_gangs.agreement.is_some() { &long[..] } else { &[] };
    let divergent = together.may_diverge.then(|| (e.block("rows.apart"), e.frame.alloca(b.context().int_type(64), 8)));
    let at_once = AtOnce { count: together.count, own_masks: together.own_masks, divergent };
    let (size, no) = (group.size[0], b.context().int_type(1).zero());
    let before = no_wrap(b.mul(rows.before, size));
    let row = Row { rows: &rows, size, before, crosses: no, at_once, lanes, long };
    GangsOfRow { e, regions, region, row: &row, known }.emit_row(of_gangs)?;
    if let Some((apart, place)) = divergent {
        // Rows that do not agree go on one by one, from that gang on.
        b.position_at_end(apart);
        let x = b.load(zero.ty(), place, 8);
        let (one, part, next, row_next) = (e.block("row.apart"), e.block("part"), e.block("part.next"), e.block(""));
        b.br(one);
        b.position_at_end(one);
        let number = b.phi(zero.ty());
        let rows = Rows { y: no_wrap(b.add(rows.y, number)), before: no_wrap(b.add(rows.before, number)), ..rows };
        let before = no_wrap(b.mul(rows.before, size));
        b.br(part);
        let row = Row { rows: &rows, before, at_once: AtOnce::ONE, long: &[], ..row };
        let step = e.number(u64::from(lanes));
        let ends = Ends { gang: part, next, from: one, first: x, step, limit: size, after: row_next };
        GangsOfRow { e, regions, region, row: &row, known }.emit_loop(Body::of_any(of_gangs), None, ends)?;
        b.position_at_end(row_next);
        let following = no_wrap(b.add(number, e.number(1)));
        number.add_incoming(zero, apart);
        number.add_incoming(following, row_next);
        b.cond_br(b.icmp(IntPredicate::Ult, following, e.number(u64::from(together.count))), one, rows.next);
    }
    b.position_at_end(rows.done);
    b.br(others);
    b.position_at_end(others);
    let all = count_rows(e, group);
    let rest = e.block("rows.rest");
    b.cond_br(b.icmp(IntPredicate::Ult, count, all), rest, done);
    b.position_at_end(rest);
    let rest = emit_span(e, group, count, all, 1)?;
    let here = e.here()?;
    b.position_at_end(rest.done);
    b.br(done);
    b.position_at_end(here);
    Ok(Rows { done, ..rest })
}
