//! Unroll and jam: rows that go through a region several at once.

use oxicl_llvm::IntPredicate;

use crate::analyse::regions::Region;
use crate::emit::gangs::Known;
use crate::emit::kernel::Emitter;
use crate::emit::loops::{Rows, Span, count_rows, count_together, crosses, emit_span};
use crate::emit::places::no_wrap;
use crate::emit::regions::Regions;
use crate::emit::row::{AtOnce, Ends, GangsOfRow, Length, Row};
use crate::emit::widen::Body;
use crate::failure::{Result, failure};
use crate::plan::gangs::Gangs;
use crate::plan::rows::Together;

/// Writes the loop over the rows that go through the region several at once, and gives the loop over the rest, one at a
/// time.
pub(super) fn emit_together<'m>(
    e: &Emitter<'_, 'm>,
    regions: &Regions<'_, 'm>,
    region: &Region,
    gangs: &Gangs,
    together: &Together,
    known: &Known<'m>,
) -> Result<Rows<'m>> {
    let (b, group, zero) = (e.b, &regions.group.places, e.number(0));
    let [state] = region.states[..] else { return failure("a gang in a region of several states") };
    let [some, others, done] = ["rows", "rows.others", "rows.done"].map(|name| e.block(name));
    let count = count_together(e, group, together.count);
    // Ids cross a multiple of 2^31 in all rows or in none, and so do numbers wrap.
    let count = b.select(crosses(e, group, zero, zero)?, zero, count);
    b.cond_br(b.icmp(IntPredicate::Ne, count, zero), some, others);
    b.position_at_end(some);
    let rows = emit_span(e, group, Span { first: zero, end: count, at_once: together.count })?;
    let long = [together.lanes];
    let (course, lanes, agreement) =
        (&gangs.regions[state.index()], gangs.lanes, gangs.agreements[state.index()].as_ref());
    let long = if together.lanes > lanes || agreement.is_some() { &long[..] } else { &[] };
    let divergent = together.may_diverge.then(|| (e.block("rows.apart"), e.frame.alloca(b.context().int_type(64), 8)));
    let at_once = AtOnce { count: together.count, own_masks: together.own_masks, divergent };
    let (size, no) = (group.size[0], b.context().int_type(1).zero());
    let before = no_wrap(b.mul(rows.before, size));
    let row = Row { rows: &rows, size, before, crosses: no, at_once, lanes, long };
    GangsOfRow { e, regions, region, row: &row, known }.emit_row(course, agreement)?;
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
        let length = Length { lanes, crosses: Some(no) };
        GangsOfRow { e, regions, region, row: &row, known }.emit_loop(Body::of_any(course), length, ends)?;
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
    let rest = emit_span(e, group, Span { first: count, end: all, at_once: 1 })?;
    let here = b.block();
    b.position_at_end(rest.done);
    b.br(done);
    if let Some(here) = here {
        b.position_at_end(here);
    }
    Ok(Rows { done, ..rest })
}
