//! The remarks on a plan. Those of the verbose level are the branches on which work-items diverge, the accesses at
//! which each lane has an address of its own, and the cause of each, with source lines where the module has them.

use std::collections::HashSet;

use crate::analyse::interleave::Units;
use crate::analyse::memory::{Home, Name};
use crate::analyse::shape::{Layout, Shape};
use crate::bounds::{CAUSES, MOST_REMARKS};
use crate::ir::{Function, Inst, Kind, Opcode, Operand, Terminator};
use crate::plan::decisions::{Plan, Slot};
use crate::plan::estimate::Estimate;
use crate::plan::gangs::Gangs;
use crate::remarks::{Part, Remark};

/// How barriers are waited at, what is kept, where objects are, and what became of the `lanes` that were asked for.
pub(super) fn describe(plan: &Plan, function: &Function<'_>, lanes: u32, estimate: Option<&Estimate>) -> Vec<Remark> {
    let mut remarks = vec![match function.in_fibers {
        true => Remark::Fibers { are_sub_groups: plan.gangs.is_ok() },
        false => Remark::Regions { states: function.states.len(), progress: plan.progress },
    }];
    if function.has_cuts() {
        let once = plan.slots.values().filter(|s| **s == Slot::Uniform).count();
        remarks.push(Remark::Kept { once, by_each: plan.slots.len() - once });
    }
    let objects = plan.objects.iter().filter(|o| matches!(o.home, Home::Item | Home::Group));
    remarks.extend(objects.map(|object| {
        let by_each = object.home == Home::Item;
        Remark::InContext { bytes: object.bytes, by_each, reason: object.reason }
    }));
    if lanes > 1 {
        remarks.push(gangs(plan, estimate));
    }
    remarks
}

fn gangs(plan: &Plan, estimate: Option<&Estimate>) -> Remark {
    let lanes = plan.gangs.as_ref().map(Gangs::most).map_err(|reason| *reason);
    let mut parts = Vec::new();
    parts.extend(estimate.map(|estimate| {
        let part = plan.candidates.cost().part();
        Part::Estimated { part, scattered: estimate.scattered }
    }));
    parts.extend(plan.priced().map(|(chosen, next)| Part::Priced { chosen, next }));
    parts.extend(plan.shapes.coalescing.map(|_| Part::Coalesced));
    let regions = || plan.gangs.iter().flat_map(|gangs| &gangs.regions);
    let rows = regions().find_map(|region| region.rows);
    parts.extend(rows.map(|rows| Part::Rows { count: rows.count, own_masks: rows.own_masks }));
    let as_aos = plan.aos.iter().filter(|keeps| **keeps).count();
    parts.extend((as_aos > 0).then_some(Part::Aos(as_aos)));
    parts.extend(regions().any(|region| region.agreement.is_some()).then_some(Part::Agree));
    Remark::Gangs { lanes, parts }
}

/// The remarks of the verbose level. `lanes` is the number of lanes that the options ask for, 0 if they leave it open.
pub(super) fn explain(function: &Function<'_>, plan: &Plan, lanes: u32) -> Vec<Remark> {
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
            let place = block.terminator.place();
            branches.push(Remark::Diverges { place, cause: cause(function, plan, condition) });
        }
    }
    shorten(&mut branches, Remark::MoreBranches);
    shorten(&mut accesses, Remark::MoreAccesses);
    remarks.append(&mut branches);
    remarks.append(&mut accesses);
    remarks
}

/// The sub-group size, the lanes of a gang, and why there are so many.
fn width(plan: &Plan, lanes: u32) -> Remark {
    let why = match &plan.gangs {
        Err(_) => "as said",
        Ok(_) if plan.shapes.layout != Layout::Rows => "a gang is a sub-group",
        Ok(_) if lanes != 0 => "the options say so",
        Ok(gangs) if gangs.most() > gangs.lanes => "cheaper for each work-item than a vector of 32-bit numbers",
        Ok(gangs) if gangs.lanes == plan.vectors.lanes() => "a vector of 32-bit numbers",
        Ok(_) => "a row of the work-group has no more",
    };
    let lanes = plan.gangs.as_ref().map_or(1, |gangs| gangs.most());
    Remark::Width { sub_group_size: plan.shapes.sub_group_size, lanes, why }
}

/// The layout of a gang's private objects.
fn objects(plan: &Plan) -> impl Iterator<Item = Remark> {
    let variables = plan.objects.iter().filter(|object| matches!(object.name, Name::Alloca(_)));
    variables.filter(|_| plan.gangs.is_ok()).map(|object| match plan.units(object) {
        Some(Units { among, bytes, .. }) => Remark::Interleaved { bytes: object.bytes, among, unit: bytes },
        None => {
            let reason = (object.home == Home::Item).then_some(object.reason);
            Remark::Blocks { bytes: object.bytes, reason }
        }
    })
}

fn shorten(remarks: &mut Vec<Remark>, more: fn(usize) -> Remark) {
    let left = remarks.len().saturating_sub(MOST_REMARKS);
    if left > 0 {
        remarks.truncate(MOST_REMARKS);
        remarks.push(more(left));
    }
}

/// The remark on an access whose lanes do not lie side by side.
fn access(function: &Function<'_>, plan: &Plan, inst: &Inst<'_>) -> Option<Remark> {
    let address = inst.accessed()?;
    let is_own = plan.shapes.of_operand(address) == Shape::Varying;
    is_own.then(|| Remark::OwnPlace { opcode: inst.opcode, place: inst.place(), cause: cause(function, plan, address) })
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
