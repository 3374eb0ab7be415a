//! What is told of a kernel at the verbose level beside the decisions: the branches on which work-items diverge, the accesses at
//! which each lane goes to a place of its own, and what each comes from, with lines of the source where the module has them.

use std::collections::HashSet;

use crate::analyse::interleave::Units;
use crate::analyse::memory::{Home, Name};
use crate::analyse::shape::{Layout, Shape};
use crate::bounds::explain::{FAR, MOST};
use crate::ir::{Function, Inst, Kind, Opcode, Operand, Terminator};
use crate::plan::decisions::Plan;

/// The remarks. `lanes` are those that the options ask for, 0 if they leave it open.
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
            let place = block.terminator.place();
            branches.push(format!("work-items may diverge{place}: {}", source(function, plan, condition)));
        }
    }
    shorten(&mut branches, "branches at which work-items may diverge");
    shorten(&mut accesses, "accesses at a place of each lane's own");
    remarks.append(&mut branches);
    remarks.append(&mut accesses);
    remarks
}

/// S and V, and why V.
fn width(plan: &Plan, lanes: u32) -> String {
    let why = match &plan.gangs {
        None => "as said",
        Some(_) if plan.layout != Layout::Rows => "a gang is a sub-group",
        Some(_) if lanes != 0 => "the options say so",
        Some(gangs) if gangs.most() > gangs.lanes => "cheaper for each work-item than a vector of 32-bit numbers",
        Some(gangs) if gangs.lanes == plan.vectors.lanes() => "a vector of 32-bit numbers",
        Some(_) => "a row of the work-group has no more",
    };
    let lanes = plan.gangs.as_ref().map_or(1, |gangs| gangs.most());
    format!("S = {}, V = {lanes}: {why}", plan.sub_group_size)
}

/// How the private objects of a gang lie.
fn objects(plan: &Plan) -> impl Iterator<Item = String> {
    plan.objects.iter().filter(|_| plan.gangs.is_some()).filter_map(|object| match object.name {
        Name::Parameter(_) => None,
        Name::Alloca(_) => Some(match plan.units(object) {
            Some(Units { among, bytes, .. }) => {
                format!("private object of {} bytes: {} interleaved by {bytes} bytes", object.bytes, among.who())
            }
            None => {
                let why = if object.home == Home::Item { object.reason } else { "its address goes about" };
                format!("private object of {} bytes: a block for each lane, as {why}", object.bytes)
            }
        }),
    })
}

fn shorten(remarks: &mut Vec<String>, what: &str) {
    let more = remarks.len().saturating_sub(MOST);
    if more > 0 {
        remarks.truncate(MOST);
        remarks.push(format!("{more} more {what}"));
    }
}

/// The remark on a load or store of which lanes do not have their values side by side.
fn access(function: &Function<'_>, plan: &Plan, inst: &Inst<'_>) -> Option<String> {
    let (what, address) = match inst.opcode {
        Opcode::Load => ("loads from", *inst.operands.first()?),
        Opcode::Store => ("stores to", *inst.operands.get(1)?),
        Opcode::AtomicRmw | Opcode::AtomicCmpXchg => ("changes", *inst.operands.first()?),
        _ => return None,
    };
    if plan.shapes.of_operand(address) != Shape::Varying {
        return None;
    }
    let source = source(function, plan, address);
    Some(format!("each work-item {what} a place of its own{}: {source}", inst.place()))
}

/// What a value that differs from lane to lane comes from: the nearest thing that is not computed of others.
fn source(function: &Function<'_>, plan: &Plan, operand: Operand) -> String {
    let mut queue = vec![operand];
    let mut seen = HashSet::new();
    let mut next = 0;
    let mut id_only = None;
    while let Some(operand) = queue.get(next).copied().filter(|_| next < FAR) {
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
        let what = match (&inst.kind, inst.opcode) {
            (Kind::Query(query), _) => {
                id_only.get_or_insert(format!("it depends on {query:?} of the work-item"));
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
        return format!("{what}{}", inst.place());
    }
    id_only.unwrap_or_else(|| "it depends on which way work-items came".to_owned())
}
