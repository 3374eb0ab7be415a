//! Remarks on a kernel: what was decided, with figures, and at the verbose level where its lanes diverge. The sentences
//! are here; reasons have their words where they are found.

use std::fmt::{self, Display, Formatter};

use crate::analyse::interleave::Among;
use crate::analyse::regions::Progress;
use crate::declined::Declined;
use crate::ir::Opcode;

/// A sentence about a kernel.
pub(crate) enum Remark {
    /// Who waits on a stack of its own: each sub-group, or each work-item.
    Fibers { are_sub_groups: bool },
    /// How work-items wait at barriers.
    Regions { states: usize, progress: Progress },
    /// How many values are kept across barriers, once or for each work-item.
    Kept { once: usize, by_each: usize },
    /// A private object that lies in the context, for each work-item or once.
    InContext { bytes: u64, by_each: bool, reason: &'static str },
    /// How many lanes whole gangs have, or why there are none.
    Gangs { lanes: Result<u32, Declined>, parts: Vec<Part> },
    /// Work-items run one at a time.
    OneByOne(Declined),
    /// Sub-groups have one work-item each.
    SubGroupsOfOne(Declined),
    /// The price in gangs along y, in cycles a work-item.
    AlongY(f64),
    /// What a kernel gains in launches of which no two buffers overlap.
    Disjoint(Gain),
    /// Lengths of rows that have code of their own, in gangs of as many lanes. They are powers of two: each is a bit.
    NarrowRows(u32),
    /// The sub-group size S, the lanes V, and the reason for V.
    Width { sub_group_size: u32, lanes: u32, why: &'static str },
    /// A private object whose units of `unit` bytes lie interleaved.
    Interleaved { bytes: u64, among: Among, unit: u64 },
    /// A private object of which each lane has a block of its own.
    Blocks { bytes: u64, reason: Option<&'static str> },
    /// A divergent branch, its place in the source, and the cause.
    Diverges { place: String, cause: String },
    /// An access of each lane to a place of its own, its place in the source, and the cause.
    OwnPlace { opcode: Opcode, place: String, cause: String },
    /// How many more divergent branches there are.
    MoreBranches(usize),
    /// How many more such accesses there are.
    MoreAccesses(usize),
}

/// Further facts about gangs.
pub(crate) enum Part {
    /// The estimated part of the time of running work-items one by one, and how many accesses are each lane's own.
    Estimated { part: f64, scattered: usize },
    /// The price of the plan, and of the next best one.
    Priced { chosen: Priced, next: Priced },
    /// Short work-groups are coalesced.
    Coalesced,
    /// How many rows are unrolled and jammed.
    Rows { count: u32, own_masks: bool },
    /// How many vectors of the language are kept in AoS layout.
    Aos(usize),
    /// Gangs whose lanes agree on guards have a body of their own.
    Agree,
}

/// The price of a plan.
pub(crate) struct Priced {
    /// Cycles a work-item, all regions together.
    pub(crate) price: f64,
    /// Lanes of each region.
    pub(crate) lanes: Vec<u32>,
}

/// Why a kernel gains if no two of its buffers overlap.
pub(crate) enum Gain {
    LeavesLoop,
    KeepsNumber,
    Price(f64),
}

impl Display for Remark {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Remark::Fibers { are_sub_groups } => {
                let who = if *are_sub_groups { "sub-group" } else { "work-item" };
                write!(f, "each {who} waits on a stack of its own")
            }
            Remark::Regions { states: 1, .. } => f.write_str("no barrier: one region, one loop over the work-items"),
            Remark::Regions { states, progress } => {
                write!(f, "{} barrier{}: ", states - 1, if *states == 2 { "" } else { "s" })?;
                match progress {
                    Progress::Together => write!(f, "{states} regions, each a plain loop"),
                    Progress::MayDiverge => write!(f, "{states} regions, and one for work-items that diverge"),
                    Progress::OneRegion(_) => write!(f, "one region for all {states} states"),
                }
            }
            Remark::Kept { once, by_each } => {
                write!(f, "kept across barriers: {once} values once, {by_each} for each work-item")
            }
            Remark::InContext { bytes, by_each, reason } => {
                let place = if *by_each { "for each work-item" } else { "once" };
                write!(f, "private object of {bytes} bytes in the context {place}: {reason}")
            }
            Remark::Gangs { lanes, parts } => {
                match lanes {
                    Ok(lanes) => write!(f, "gangs of {lanes} work-items")?,
                    Err(reason) => Remark::OneByOne(*reason).fmt(f)?,
                }
                parts.iter().try_for_each(|part| write!(f, "; {part}"))
            }
            Remark::OneByOne(reason) => write!(f, "one work-item at a time: {}", reason.words()),
            Remark::SubGroupsOfOne(reason) => write!(f, "sub-groups of one work-item: {}", reason.words()),
            Remark::AlongY(price) => {
                write!(f, "priced at {price:.2} cycles a work-item in gangs along y: long work-groups are run so")
            }
            Remark::NarrowRows(sum) => {
                let lengths = (0..u32::BITS).map(|bit| 1 << bit).filter(|length| sum & length != 0);
                let lengths: Vec<_> = lengths.map(|length: u32| length.to_string()).collect();
                let lengths = lengths.join(" or ");
                write!(f, "launches with rows of {lengths} work-items have code of their own, for as many lanes")
            }
            Remark::Disjoint(gain) => {
                f.write_str("launches of which no two buffers overlap have code of their own: ")?;
                match gain {
                    Gain::LeavesLoop => f.write_str("a loop keeps numbers of its own"),
                    Gain::KeepsNumber => f.write_str("numbers are kept past other accesses"),
                    Gain::Price(price) => write!(f, "priced at {price:.2} cycles a work-item"),
                }
            }
            Remark::Width { sub_group_size, lanes, why } => write!(f, "S = {sub_group_size}, V = {lanes}: {why}"),
            Remark::Interleaved { bytes, among, unit } => {
                write!(f, "private object of {bytes} bytes: {} interleaved by {unit} bytes", among.who())
            }
            Remark::Blocks { bytes, reason } => {
                let reason = reason.unwrap_or("its address goes about");
                write!(f, "private object of {bytes} bytes: a block for each lane, as {reason}")
            }
            Remark::Diverges { place, cause } => write!(f, "work-items may diverge{place}: {cause}"),
            Remark::OwnPlace { opcode, place, cause } => {
                let what = match opcode {
                    Opcode::Load => "loads from",
                    Opcode::Store => "stores to",
                    _ => "changes",
                };
                write!(f, "each work-item {what} a place of its own{place}: {cause}")
            }
            Remark::MoreBranches(count) => write!(f, "{count} more branches at which work-items may diverge"),
            Remark::MoreAccesses(count) => write!(f, "{count} more accesses at a place of each lane's own"),
        }
    }
}

impl Display for Part {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Part::Estimated { part, scattered } => {
                write!(f, "estimated for gangs: {part:.2} of the time, {scattered} accesses are each lane's own")
            }
            Part::Priced { chosen, next } => write!(f, "priced at {chosen}, the next best plan at {next}"),
            Part::Coalesced => f.write_str("work-groups that are short along x run as one"),
            Part::Rows { count, own_masks } => {
                let why = if *own_masks { "lanes leave a loop apart" } else { "rows load the same" };
                write!(f, "where {why}, {count} rows at once")
            }
            Part::Aos(count) => write!(f, "{count} vectors of the language are kept in AoS layout"),
            Part::Agree => f.write_str("gangs whose work-items agree on guards run without masks for these"),
        }
    }
}

impl Display for Priced {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} cycles a work-item ", self.price)?;
        match &self.lanes[..] {
            [1] => f.write_str("one at a time"),
            [first, rest @ ..] if rest.iter().all(|lanes| lanes == first) => write!(f, "in gangs of {first}"),
            lanes => {
                let lanes: Vec<String> = lanes.iter().map(u32::to_string).collect();
                write!(f, "in gangs of {}, by region", lanes.join(", "))
            }
        }
    }
}
