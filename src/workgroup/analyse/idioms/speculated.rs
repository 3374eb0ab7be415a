//! Accesses whose lanes are not known to lie side by side: where they often do after all.

use crate::ir::{Function, InstId, Intrinsic, Kind, Opcode, Operand};
use oxicl_protocol::Decision;

use crate::analyse::induction::recurrence;
use crate::analyse::instructions::is_division;
use crate::analyse::shape::{Shape, Shapes};
use crate::bounds::speculated::FAR;
use crate::bounds::twice::LONGEST;

/// Can the lanes of an address turn out to lie side by side, though nothing says so? It has to be made of numbers that advance by a
/// stride, by what keeps that up over some of them.
pub(crate) fn may_be_contiguous(function: &Function<'_>, shapes: &Shapes, address: Operand) -> bool {
    let Operand::Inst(address) = address else { return false };
    keeps_steps(function, shapes, address) && function.allows(Decision::Speculation, address)
}

fn keeps_steps(function: &Function<'_>, shapes: &Shapes, address: InstId) -> bool {
    let inst = function.inst(address);
    let is_short = function.insts.len() <= LONGEST;
    if !is_short || inst.opcode != Opcode::GetElementPtr || shapes.of(address) != Shape::Varying {
        return false;
    }
    let varies = |operand: &&Operand| shapes.of_operand(**operand) == Shape::Varying;
    let mut varying = inst.operands.iter().filter(varies);
    let index = match (varying.next(), varying.next()) {
        (Some(Operand::Inst(index)), None) => index,
        // Whoever calls the function may have counted its lanes.
        (Some(Operand::Parameter(_)), None) => return true,
        _ => return false,
    };
    // What is multiplied last leaves gaps.
    let mut last = function.inst(*index);
    while let (Opcode::SExt | Opcode::ZExt | Opcode::Trunc, Some(Operand::Inst(id))) =
        (last.opcode, last.operands.first())
    {
        last = function.inst(*id);
    }
    if matches!(last.opcode, Opcode::Mul | Opcode::Shl) {
        return false;
    }
    let (mut seen, mut next, mut steps) = (vec![*index], 0, false);
    while let Some(id) = seen.get(next).copied() {
        next += 1;
        let inst = function.inst(id);
        if counts_on(function, shapes, id) {
            steps = true;
            continue;
        }
        steps |= match inst.opcode {
            // The place in one of several work-groups that run as one, or that one's number.
            _ if matches!(inst.kind, Kind::Query(query) if query.tells_groups_apart()) => true,
            _ if !matches!(inst.kind, Kind::Plain) => return false,
            // Held within bounds, or mirrored there, as places beyond an edge are.
            Opcode::Select => true,
            Opcode::Call if inst.calls(|called| called.is_bound() || called == Intrinsic::Abs) => true,
            Opcode::And | Opcode::LShr | Opcode::AShr => true,
            opcode if is_division(opcode) => true,
            Opcode::Add | Opcode::Sub | Opcode::Mul | Opcode::Shl | Opcode::Or => false,
            Opcode::SExt | Opcode::ZExt | Opcode::Trunc => false,
            _ => return false,
        };
        let chosen = if inst.opcode == Opcode::Select { &inst.operands[1..] } else { &inst.operands[..] };
        for operand in chosen.iter().filter(varies) {
            match operand {
                Operand::Inst(id) if !seen.contains(id) => seen.push(*id),
                Operand::Inst(_) => {}
                // As above.
                Operand::Parameter(_) => steps = true,
                _ => return false,
            }
        }
        if seen.len() > FAR {
            return false;
        }
    }
    steps
}

/// Is this an induction variable with a step that lanes share, and a start that advances by a stride from lane to lane, at least as long as
/// it does not wrap?
fn counts_on(function: &Function<'_>, shapes: &Shapes, id: InstId) -> bool {
    let begins = |operand: &Operand| matches!(shapes.of_operand(*operand), Shape::Affine(_) | Shape::Wrapping(_));
    recurrence(function, id).is_some_and(|counter| {
        counter.is_whole && shapes.of_operand(counter.by).is_row_uniform() && counter.starts.iter().all(begins)
    })
}
