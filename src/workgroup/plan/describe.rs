//! The remarks on a plan. Those of the verbose level are the branches on which work-items diverge, the accesses at
//! which each lane has an address of its own, and the cause of each, with source lines where the module has them.

use std::collections::HashSet;

use crate::analyse::interleave::Units;
use crate::analyse::memory::{Home, Name};
use crate::analyse::regions::Progress;
use crate::analyse::shape::{Layout, Shape};
use crate::bounds::{CAUSES, MOST_REMARKS};
use crate::declined::Declined;
use crate::ir::{Function, Inst, Kind, Opcode, Operand, Terminator};
use crate::plan::decisions::{Plan, Slot};
use crate::plan::estimate::Estimate;
use crate::plan::rows::Together;

/// How barriers are waited at, what is kept, where objects are, and what became of the `lanes` that were asked for.
pub(super) fn describe(plan: &Plan, function: &Function<'_>, lanes: u32, estimate: Option<&Estimate>) -> Vec<String> {
    let mut remarks = vec![waiting(plan, function)];
    if function.has_cuts() {
        let once = plan.slots.values().filter(|s| **s == Slot::Uniform).count();
        let by_each = plan.slots.len() - once;
        remarks.push(format!("kept across barriers: {once} values once, {by_each} for each work-item"));
    }
    let objects = plan.objects.iter().filter(|o| matches!(o.home, Home::Item | Home::Group));
    remarks.extend(objects.map(|object| {
        let place = if object.home == Home::Item { "for each work-item" } else { "once" };
        format!("private object of {} bytes in the context {place}: {}", object.bytes, object.reason)
    }));
    if lanes > 1 {
        remarks.push(gangs(plan, estimate));
    }
    remarks
}

/// How work-items wait at barriers.
fn waiting(plan: &Plan, function: &Function<'_>) -> String {
    if function.in_fibers {
        let who = if plan.gangs.is_ok() { "sub-group" } else { "work-item" };
        return format!("each {who} waits on a stack of its own");
    }
    let states = function.states.len();
    let how = match plan.progress {
        _ if states == 1 => return "no barrier: one region, one loop over the work-items".to_owned(),
        Progress::Together => format!("{states} regions, each a plain loop"),
        Progress::MayDiverge => format!("{states} regions, and one for work-items that diverge"),
        Progress::OneRegion(_) => format!("one region for all {states} states"),
    };
    format!("{} barrier{}: {how}", states - 1, if states == 2 { "" } else { "s" })
}

/// How many lanes whole gangs have, or why there are none, and further facts about gangs.
fn gangs(plan: &Plan, estimate: Option<&Estimate>) -> String {
    let mut parts = vec![match &plan.gangs {
        Ok(gangs) => format!("gangs of {} work-items", gangs.most()),
        Err(reason) => one_by_one(*reason),
    }];
    parts.extend(estimate.map(|estimate| estimated(plan.candidates.part(), estimate.scattered)));
    parts.extend(plan.priced().map(|(chosen, next)| format!("priced at {chosen}, the next best plan at {next}")));
    parts.extend(plan.shapes.coalescing.map(|_| "work-groups that are short along x run as one".to_owned()));
    let regions = || plan.gangs.iter().flat_map(|gangs| &gangs.regions);
    parts.extend(regions().find_map(|region| region.rows).map(|Together { count, own_masks, .. }| {
        let why = if own_masks { "lanes leave a loop apart" } else { "rows load the same" };
        format!("where {why}, {count} rows at once")
    }));
    let as_aos = plan.aos.iter().filter(|keeps| **keeps).count();
    if as_aos > 0 {
        parts.push(format!("{as_aos} vectors of the language are kept in AoS layout"));
    }
    if regions().any(|region| region.agreement.is_some()) {
        parts.push("gangs whose work-items agree on guards run without masks for these".to_owned());
    }
    parts.join("; ")
}

pub(super) fn one_by_one(reason: Declined) -> String {
    format!("one work-item at a time: {}", reason.words())
}

/// The part of the time of work-items one by one that gangs take, and how many accesses are each lane's own.
pub(super) fn estimated(part: f64, scattered: usize) -> String {
    format!("estimated for gangs: {part:.2} of the time, {scattered} accesses are each lane's own")
}

/// The remarks of the verbose level. `lanes` is the number of lanes that the options ask for, 0 if they leave it open.
pub(super) fn explain(function: &Function<'_>, plan: &Plan, lanes: u32) -> Vec<String> {
    let mut remarks = vec![width(plan, lanes)];
    remarks.extend(objects(plan));
    let mut branches = Vec::new();
    let mut accesses = Vec::new();
    for (_, block) in function.blocks.iter().enumerate().filter(|(index, _)| function.reachable[*index]) {
        for id in &block.insts {
            accesses.extend(access(function, plan, function.inst(*id)));
        }
        if let Terminator::Branch { condition: Some(condition), .. } = block.terminator
            && !plan.shapes.of_operand(condition).is_row_uniform()
        {
            let (place, cause) = (block.terminator.place(), cause(function, plan, condition));
            branches.push(format!("work-items may diverge{place}: {cause}"));
        }
    }
    shorten(&mut branches, "branches at which work-items may diverge");
    shorten(&mut accesses, "accesses at a place of each lane's own");
    remarks.append(&mut branches);
    remarks.append(&mut accesses);
    remarks
}

/// The sub-group size, the lanes of a gang, and why there are so many.
fn width(plan: &Plan, lanes: u32) -> String {
    let why = match &plan.gangs {
        Err(_) => "as said",
        Ok(_) if plan.shapes.layout != Layout::Rows => "a gang is a sub-group",
        Ok(_) if lanes != 0 => "the options say so",
        Ok(gangs) if gangs.most() > gangs.lanes => "cheaper for each work-item than a vector of 32-bit numbers",
        Ok(gangs) if gangs.lanes == plan.vectors.lanes() => "a vector of 32-bit numbers",
        Ok(_) => "a row of the work-group has no more",
    };
    let lanes = plan.gangs.as_ref().map_or(1, |gangs| gangs.most());
    format!("S = {}, V = {lanes}: {why}", plan.shapes.sub_group_size)
}

/// The layout of a gang's private objects.
fn objects(plan: &Plan) -> impl Iterator<Item = String> {
    let variables = plan.objects.iter().filter(|object| matches!(object.name, Name::Alloca(_)));
    variables.filter(|_| plan.gangs.is_ok()).map(|object| {
        let layout = match plan.units(object) {
            Some(Units { among, bytes, .. }) => format!("{} interleaved by {bytes} bytes", among.who()),
            None if object.home == Home::Item => format!("a block for each lane, as {}", object.reason),
            None => "a block for each lane, as its address goes about".to_owned(),
        };
        format!("private object of {} bytes: {layout}", object.bytes)
    })
}

/// Counts the remarks past the bound instead of giving them.
fn shorten(remarks: &mut Vec<String>, what: &str) {
    let left = remarks.len().saturating_sub(MOST_REMARKS);
    if left > 0 {
        remarks.truncate(MOST_REMARKS);
        remarks.push(format!("{left} more {what}"));
    }
}

/// The remark on an access whose lanes do not lie side by side.
fn access(function: &Function<'_>, plan: &Plan, inst: &Inst<'_>) -> Option<String> {
    let address = inst.accessed().filter(|address| plan.shapes.of_operand(*address) == Shape::Varying)?;
    let what = match inst.opcode {
        Opcode::Load => "loads from",
        Opcode::Store => "stores to",
        _ => "changes",
    };
    let (place, cause) = (inst.place(), cause(function, plan, address));
    Some(format!("each work-item {what} a place of its own{place}: {cause}"))
}

/// Why a value differs from lane to lane: the nearest instruction behind it that is not computed from others.
fn cause(function: &Function<'_>, plan: &Plan, operand: Operand) -> String {
    let mut queue = vec![operand];
    let mut seen = HashSet::new();
    let mut next = 0;
    let mut query_only = None;
    while let Some(operand) = queue.get(next).copied().filter(|_| next < CAUSES) {
        next += 1;
        let id = match operand {
            Operand::Inst(id) if seen.insert(id) => id,
            Operand::Parameter(index) if !plan.shapes.of_operand(operand).is_row_uniform() => {
                return format!("it depends on argument {index}");
            }
            _ => continue,
        };
        if plan.shapes.of(id).is_row_uniform() {
            continue;
        }
        let inst = function.inst(id);
        let cause = match (&inst.kind, inst.opcode) {
            (Kind::Query(query), _) => {
                query_only.get_or_insert(*query);
                continue;
            }
            (Kind::Alloca, _) => "it is in a private object",
            (Kind::Gathered(_) | Kind::Collective(..), _) => "it depends on what a collective operation gave",
            (_, Opcode::Load) => "it depends on what was loaded",
            (_, Opcode::AtomicRmw | Opcode::AtomicCmpXchg) => "it depends on what an atomic operation found",
            (Kind::Call | Kind::Print, _) => "it depends on what a function gave",
            (_, Opcode::Call) if !inst.is_pure() => "it depends on what a function gave",
            _ => {
                queue.extend(inst.operands.iter().copied());
                continue;
            }
        };
        return format!("{cause}{}", inst.place());
    }
    match query_only {
        Some(query) => format!("it depends on {query:?} of the work-item"),
        None => "it depends on which way work-items came".to_owned(),
    }
}
