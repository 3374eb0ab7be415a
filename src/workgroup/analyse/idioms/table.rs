//! In-register look-ups: loads from small constant tables.

use crate::ir::{ConstantId, ConstantKind, Function, InstId, Opcode, Operand, Scalar, Type};
use oxicl_protocol::Decision;

/// Elements of the longest table: as many 32-bit words as two registers of AVX-512 hold.
const MOST: u64 = 32;

/// A load from a small constant table.
pub(crate) struct Table {
    /// The constant variable.
    pub(crate) start: ConstantId,
    /// The type and number of its elements.
    pub(crate) element: Scalar,
    pub(crate) count: u32,
    /// The index that the work-item loads at, in units of which an element has `1 << shift`.
    pub(crate) index: Operand,
    pub(crate) shift: u32,
}

/// The table that an instruction loads from, if it is small: at most 32 numbers of at most 32 bits.
pub(crate) fn table(function: &Function<'_>, id: InstId) -> Option<Table> {
    let inst = function.inst(id);
    let element = inst.ty.single()?;
    let fits = matches!(element, Scalar::Int(8 | 16 | 32) | Scalar::Float);
    let address = function.made_by(*inst.operands.first()?)?;
    if inst.opcode != Opcode::Load || !fits || inst.is_volatile() || address.opcode != Opcode::GetElementPtr {
        return None;
    }
    let [Operand::Constant(start), indices @ ..] = &address.operands[..] else { return None };
    let ConstantKind::Global(global) = &function.constant(*start).kind else { return None };
    let whole = global.content.as_ref()?;
    let (bytes, all) = (element.size(), whole.size());
    let step = address.source_type()?;
    let (index, unit) = match indices {
        [index] => (*index, step.size()),
        [zero, index] if function.as_u64(*zero) == Some(0) && matches!(step, Type::Array(..)) => {
            (*index, step.element()?.size())
        }
        _ => return None,
    };
    let count = all / bytes;
    let aligned = u64::from(inst.alignment()) >= bytes;
    if (unit != bytes && !(unit == 1 && aligned)) || count > MOST || count == 0 {
        return None;
    }
    if !function.allows(Decision::Tables, id) {
        return None;
    }
    let shift = (bytes / unit).ilog2();
    Some(Table { start: *start, element, count: count as u32, index, shift })
}
