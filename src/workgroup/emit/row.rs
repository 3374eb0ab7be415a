//! A row of a work-group, or several at once: the loops over its gangs.

use oxicl_llvm::{Block as LlvmBlock, IntPredicate, Value};

use crate::emit::agreeing::Agreeing;
use crate::emit::gangs::{Known, emit_gang};
use crate::emit::items::Pieces;
use crate::emit::kernel::Emitter;
use crate::emit::loops::Rows;
use crate::emit::places::no_wrap;
use crate::failure::{Failure, failure};
use crate::plan::Piece;
use crate::widen::{Agreement, Body, Course, Graph, splat_to};

/// How many rows go through a piece at once, and whether each has masks of its own; and where they go if they do not agree on a
/// branch, with the place that has the local id at which their gang begins.
#[derive(Clone, Copy)]
pub(super) struct AtOnce<'m> {
    pub(super) count: u32,
    pub(super) own_masks: bool,
    pub(super) parting: Option<(LlvmBlock<'m>, Value<'m>)>,
}

impl AtOnce<'_> {
    pub(super) const ONE: Self = AtOnce { count: 1, own_masks: false, parting: None };
}

/// A row, or several that go through a piece at once, and its gangs.
pub(super) struct Row<'r, 'm> {
    pub(super) rows: &'r Rows<'m>,
    /// Work-items of the row, and of those before it.
    pub(super) size: Value<'m>,
    pub(super) before: Value<'m>,
    /// Is the row run one by one?
    pub(super) crosses: Value<'m>,
    pub(super) at_once: AtOnce<'m>,
    /// Lanes of gangs that may be partial.
    pub(super) lanes: u32,
    /// Lanes of gangs that are whole, the longest first.
    pub(super) long: &'r [u32],
}

/// Writes the gangs of a row, or of so many rows at once: whole ones of each of some lengths, the longest first, each from where
/// those before it ended; then what is left. The builder is where the row begins.
pub(super) fn emit_row<'m>(
    e: &Emitter<'_, 'm>,
    pieces: &Pieces<'_, 'm>,
    piece: &Piece,
    course: &(Graph, Course),
    agreement: Option<&Agreement>,
    row: &Row<'_, 'm>,
    known: &Known<'m>,
) -> Result<(), Failure> {
    let (b, body, zero) = (e.b, Body::of_any(course), e.number(0));
    if let Some(agreement) = agreement {
        return Agreeing { e, pieces, piece, any: body, agreement, row, known }.emit();
    }
    let step = b.select(row.crosses, e.number(1), e.number(u64::from(row.lanes)));
    let Some(here) = b.block() else { return failure("no place to write to") };
    let (mut from, mut first) = (here, zero);
    for whole_lanes in row.long {
        let [gang, next, rest] = ["gang", "gang.next", "gangs.rest"].map(|name| e.block(name));
        let whole = b.and(row.size, b.context().int_type(64).const_signed(-i64::from(*whole_lanes)));
        let whole = b.select(row.crosses, zero, whole);
        b.cond_br(b.icmp(IntPredicate::Ne, whole, first), gang, rest);
        let step = e.number(u64::from(*whole_lanes));
        let ends = Ends { gang, next, from, first, step, limit: whole, after: rest };
        emit_loop(e, pieces, piece, body, (*whole_lanes, None), row, ends, known)?;
        b.position_at_end(rest);
        (from, first) = (rest, whole);
    }
    let [gang, next] = ["part", "part.next"].map(|name| e.block(name));
    match row.long {
        [] => b.br(gang),
        _ => b.cond_br(b.icmp(IntPredicate::Ult, first, row.size), gang, row.rows.next),
    };
    let ends = Ends { gang, next, from, first, step, limit: row.size, after: row.rows.next };
    emit_loop(e, pieces, piece, body, (row.lanes, Some(row.crosses)), row, ends, known)
}

/// A loop over gangs of a row.
pub(super) struct Ends<'m> {
    /// Where a gang begins, and what follows it.
    pub(super) gang: LlvmBlock<'m>,
    pub(super) next: LlvmBlock<'m>,
    /// Where the loop is come from, and the first local id.
    pub(super) from: LlvmBlock<'m>,
    pub(super) first: Value<'m>,
    /// How far it is to the next gang.
    pub(super) step: Value<'m>,
    /// Where the loop ends and goes to.
    pub(super) limit: Value<'m>,
    pub(super) after: LlvmBlock<'m>,
}

/// Writes a loop over gangs of a row. They are whole, unless it is said whether the row is run one by one.
#[expect(clippy::too_many_arguments, reason = "they are what a piece is, and where its loop stands")]
pub(super) fn emit_loop<'m>(
    e: &Emitter<'_, 'm>,
    pieces: &Pieces<'_, 'm>,
    piece: &Piece,
    body: Body<'_, 'm>,
    (lanes, crosses): (u32, Option<Value<'m>>),
    row: &Row<'_, 'm>,
    ends: Ends<'m>,
    known: &Known<'m>,
) -> Result<(), Failure> {
    let b = e.b;
    b.position_at_end(ends.gang);
    let x = b.phi(b.context().int_type(64));
    b.position_at_end(ends.next);
    let following = no_wrap(b.add(x, ends.step));
    x.add_incoming(ends.first, ends.from);
    x.add_incoming(following, ends.next);
    e.go_on(b.icmp(IntPredicate::Ult, following, ends.limit), ends.gang, ends.after);
    b.position_at_end(ends.gang);
    emit_at(e, pieces, piece, body, (lanes, crosses), row, (x, ends.next), known)
}

/// Writes what a gang of a row does that begins at a local id; then control goes to `next`. The gang is whole, unless it is said
/// whether the row is run one by one.
#[expect(clippy::too_many_arguments, reason = "they are what a piece is, and where its gang stands")]
pub(super) fn emit_at<'m>(
    e: &Emitter<'_, 'm>,
    pieces: &Pieces<'_, 'm>,
    piece: &Piece,
    body: Body<'_, 'm>,
    (lanes, crosses): (u32, Option<Value<'m>>),
    row: &Row<'_, 'm>,
    (x, next): (Value<'m>, LlvmBlock<'m>),
    known: &Known<'m>,
) -> Result<(), Failure> {
    let b = e.b;
    if let Some((_, place)) = row.at_once.parting {
        b.store(x, place, 8);
    }
    let mut places = pieces.group.places;
    places.local_id = [x, row.rows.y, row.rows.z];
    places.linear = no_wrap(b.add(row.before, x));
    let left = b.sub(row.size, x);
    let entry = crosses.map(|crosses| lanes_below(e, lanes, b.select(crosses, e.number(1), left)));
    emit_gang(e, pieces, piece, body, (lanes, row.at_once), (places, entry, next), known)
}

/// The mask of the first lanes.
pub(super) fn lanes_below<'m>(e: &Emitter<'_, 'm>, lanes: u32, count: Value<'m>) -> Value<'m> {
    let b = e.b;
    let i64_type = b.context().int_type(64);
    let numbers: Vec<_> = (0..u64::from(lanes)).map(|lane| i64_type.const_int(lane)).collect();
    b.icmp(IntPredicate::Ult, b.context().const_vector(&numbers), splat_to(b, count, lanes))
}
