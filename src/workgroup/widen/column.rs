//! Accesses by which a work-item goes down a column of a matrix, while its neighbours go down those beside it.
//!
//! A gang takes a part of a row each turn. A work-item by itself takes one number of a line of the cache, which is often gone
//! before the next work-item comes for the next number: lines that lie a power of two apart share few places there.

use oxicl_llvm::{Opcode, Value};

use crate::analyse::graph::Graph;
use crate::analyse::shape::Shape;
use crate::arena::{InstId, Kind, Operand};
use crate::widen::estimate::Costs;

/// Bytes from turn to turn from which on it is a column: a line of the cache.
const LINE: u64 = 64;
/// Values behind an address that are looked at.
const FAR: usize = 32;

/// Is an instruction of a node such an access?
pub(super) fn goes_down_column(costs: &Costs<'_, '_>, graph: &Graph, node: usize, id: InstId) -> bool {
    let inst = costs.inst(id);
    let address = match inst.opcode {
        Opcode::Load => inst.operands.first(),
        Opcode::Store => inst.operands.get(1),
        _ => None,
    };
    let Some(address) = address.copied() else { return false };
    let is_beside =
        matches!(costs.shape(address), Shape::Affine(stride) | Shape::Wrapping(stride) if stride.unsigned_abs() < LINE);
    let mut loops = std::iter::successors(graph.innermost(node), |number| graph.loops[*number].parent);
    is_beside && loops.find_map(|number| step(costs, graph, number, address)).is_some_and(|bytes| bytes >= LINE)
}

/// How many bytes an address goes on from turn to turn of a loop, at most; `None` if not at all, as far as that can be seen.
fn step(costs: &Costs<'_, '_>, graph: &Graph, number: usize, address: Operand<'_>) -> Option<u64> {
    let header = graph.blocks[graph.loops[number].header];
    let mut terms = vec![(address, 1u64)];
    let (mut next, mut result) = (0, None);
    while let Some((term, bytes)) = terms.get(next).copied().filter(|_| next < FAR) {
        next += 1;
        let Operand::Inst(id) = term else { continue };
        let inst = costs.inst(id);
        let inside = graph.numbers.get(&inst.block).is_some_and(|node| graph.is_in(*node, number));
        if !inside {
            continue;
        }
        let by = |index: u32| inst.value.operand(index).and_then(|value| value.as_u64());
        match inst.opcode {
            _ if matches!(inst.kind, Kind::Phi(_)) && inst.block == header => {
                let steps = inst.operands.iter().filter_map(|operand| match operand {
                    Operand::Inst(value) => Some(costs.inst(*value)),
                    _ => None,
                });
                let adds =
                    steps.filter(|step| step.opcode == Opcode::Add && step.operands.contains(&Operand::Inst(id)));
                // By what is not known beforehand is far.
                let step = adds.map(|step| step.value.operand(1).and_then(distance).unwrap_or(LINE)).max();
                result = result.max(step.map(|step| step.saturating_mul(bytes)));
            }
            Opcode::GetElementPtr => {
                let size = inst.value.gep_source_type().map_or(1, |ty| costs.size_of(ty));
                terms.extend(inst.operands.first().map(|base| (*base, bytes)));
                terms.extend(inst.operands.iter().skip(1).map(|index| (*index, bytes.saturating_mul(size))));
            }
            Opcode::Add | Opcode::Sub | Opcode::Or | Opcode::SExt | Opcode::ZExt | Opcode::Trunc => {
                terms.extend(inst.operands.iter().map(|term| (*term, bytes)));
            }
            Opcode::Mul => {
                let times = by(1).unwrap_or(LINE);
                terms.extend(inst.operands.iter().map(|term| (*term, bytes.saturating_mul(times))));
            }
            Opcode::Shl => {
                let times = by(1).filter(|by| *by < 32).map_or(LINE, |by| 1 << by);
                terms.extend(inst.operands.first().map(|term| (*term, bytes.saturating_mul(times))));
            }
            _ => {}
        }
    }
    result
}

/// How far a constant number goes, up or down.
fn distance(by: Value<'_>) -> Option<u64> {
    let above = 64 - by.ty().int_width().min(64);
    Some(((by.as_u64()? << above).cast_signed() >> above).unsigned_abs())
}
