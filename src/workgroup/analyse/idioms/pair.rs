//! Paired gathers: two loads of neighbouring numbers, as interpolation has them.

use crate::ir::{Function, Inst, InstId, Kind, Opcode, Operand, Scalar};
use oxicl_protocol::Decision;

use crate::analyse::instructions::is_harmless;
use crate::bounds::NEARBY;

/// Sizes in bytes of the numbers that can be paired: two make a number of at most 8 bytes.
const NARROW: [u64; 3] = [1, 2, 4];

/// Two loads from neighbouring places.
pub(crate) struct Pair {
    /// The load that comes later in the block.
    pub(crate) later: InstId,
    /// The lower address, and whether the earlier load is the one from there.
    pub(crate) address: Operand,
    pub(crate) in_order: bool,
}

/// The pair whose earlier load this is.
pub(crate) fn pair<'m>(function: &Function<'m>, id: InstId) -> Option<Pair> {
    find(function, id).filter(|_| function.allows(Decision::Pairs, id))
}

fn find<'m>(function: &Function<'m>, id: InstId) -> Option<Pair> {
    let inst = function.inst(id);
    let bytes = is_loaded(inst).filter(|bytes| NARROW.contains(bytes))?;
    let block = &function.block(inst.block).insts;
    let behind = block.iter().skip_while(|other| **other != id).skip(1).take(NEARBY);
    for later in behind.copied() {
        let other = function.inst(later);
        if is_loaded(other).is_some() && other.ty == inst.ty {
            let (own, its) = (inst.operands[0], other.operands[0]);
            if follows(function, own, its, bytes) {
                return Some(Pair { later, address: own, in_order: true });
            }
            if follows(function, its, own, bytes) {
                return Some(Pair { later, address: its, in_order: false });
            }
        }
        let goes_on = matches!(other.kind, Kind::Plain) && is_harmless(function, later);
        if !goes_on || (other.opcode == Opcode::Load && is_loaded(other).is_none()) {
            return None;
        }
    }
    None
}

/// The bytes of a number, if an ordinary load loads one.
fn is_loaded(inst: &Inst<'_>) -> Option<u64> {
    let is_number = matches!(inst.ty.single(), Some(Scalar::Int(_) | Scalar::Float | Scalar::Half));
    let usual = inst.opcode == Opcode::Load && matches!(inst.kind, Kind::Plain) && inst.is_ordinary();
    (usual && is_number).then(|| inst.ty.size())
}

/// Is the second address `bytes` bytes after the first?
fn follows(function: &Function<'_>, first: Operand, second: Operand, bytes: u64) -> bool {
    let Some(inst) = function.made_by(second) else { return false };
    let step = || {
        let unit = match inst.source_type()?.single()? {
            Scalar::Int(bits) => u64::from(bits / 8),
            Scalar::Float => 4,
            _ => return None,
        };
        function.u64_at(inst, 1)?.checked_mul(unit)
    };
    inst.opcode == Opcode::GetElementPtr
        && inst.operands.len() == 2
        && inst.operands[0] == first
        && step() == Some(bytes)
}
