//! Values that are cheaper to rematerialise than to keep across a barrier: ids and simple arithmetic on them. Besides
//! saving memory, this keeps addresses visible as functions of the id.

use std::collections::HashSet;

use crate::analyse::instructions::hands_on;
use crate::ir::{Function, InstId, Kind, Opcode, Operand};
use oxicl_protocol::Decision;

/// A cost that nobody measured, standing for a store and a load: instructions that rematerialising may take.
const LIMIT: u32 = 10;

/// Which results are cheap to compute from ids, arguments and constants. `kept` are those needed across a barrier.
pub(crate) fn rematerialised(function: &Function<'_>, kept: &HashSet<InstId>) -> Vec<bool> {
    // How many instructions each takes.
    let mut cost: Vec<Option<u32>> = vec![None; function.insts.len()];
    // Instructions stand in the order of the function's blocks, in which a definition mostly stands before its uses;
    // where it does not, the value is kept, which is right too.
    for (id, inst) in function.numbered() {
        let of_operands = match inst.kind {
            Kind::Alloca => Some(0),
            Kind::Query(_) => Some(1),
            Kind::Plain if is_simple(inst.opcode) => {
                let operands = inst.operands.iter().map(|operand| match operand {
                    Operand::Inst(id) => cost[id.index()],
                    Operand::Parameter(_) | Operand::Constant(_) => Some(0),
                    Operand::Opaque => None,
                });
                operands.sum::<Option<u32>>().map(|sum| sum + 1).filter(|sum| *sum <= LIMIT)
            }
            _ => None,
        };
        // The address of a private object is never kept, so nothing is decided for it.
        let is_asked = kept.contains(&id) && !matches!(inst.kind, Kind::Alloca);
        cost[id.index()] = of_operands.filter(|_| !is_asked || function.allows(Decision::Rematerialise, id));
    }
    cost.into_iter().map(|cost| cost.is_some()).collect()
}

/// Is it an operation without effect that takes about a cycle?
fn is_simple(opcode: Opcode) -> bool {
    opcode == Opcode::BitCast || hands_on(opcode)
}
