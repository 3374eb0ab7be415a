//! In-register look-ups: loads from small constant tables.

use crate::ir::{ConstantId, ConstantKind, Function, InstId, Opcode, Operand, Scalar, Type};
use oxicl_protocol::Decision;

/// Elements of the longest table. Needed for correctness: a byte is enough for an index.
const MOST: u64 = 256;

/// A load from a small constant table.
pub(crate) struct Table {
    /// The constant variable.
    pub(crate) start: ConstantId,
    /// The type and number of its elements.
    pub(crate) element: Scalar,
    pub(crate) count: u32,
    /// The index that the work-item loads at, in units of which an element has `1 << shift`. Bits that it lacks are not
    /// needed.
    pub(crate) index: Operand,
    pub(crate) shift: u32,
}

/// The table that an instruction loads from, if it is small.
pub(crate) fn table(function: &Function<'_>, id: InstId) -> Option<Table> {
    let inst = function.inst(id);
    let element = inst.ty.single().filter(|element| element.is_int() || element.is_float())?;
    let address = function.made_by(*inst.operands.first()?)?;
    if inst.opcode != Opcode::Load || inst.is_volatile() || address.opcode != Opcode::GetElementPtr {
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
    if !matches!(bytes, 1 | 2 | 4 | 8) || (unit != bytes && !(unit == 1 && aligned)) || count > MOST || count == 0 {
        return None;
    }
    if !function.allows(Decision::Tables, id) {
        return None;
    }
    let shift = (bytes / unit).ilog2();
    Some(Table { start: *start, element, count: count as u32, index: narrowest(function, index), shift })
}

/// The number that an index is extended from, of at least a byte. An index of an element is the same with any extension.
fn narrowest(function: &Function<'_>, index: Operand) -> Operand {
    match function.made_by(index) {
        Some(inst) if matches!(inst.opcode, Opcode::ZExt | Opcode::SExt) => match function.type_at(inst, 0) {
            Some(ty) if ty.single().is_some_and(|number| number.bits() >= 8) => narrowest(function, inst.operands[0]),
            _ => index,
        },
        _ => index,
    }
}
