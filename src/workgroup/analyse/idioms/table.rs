//! Look-ups in small constant tables.

use oxicl_llvm::{Module, Opcode, Type, TypeKind, Value};
use oxicl_protocol::Decision;

use crate::arena::{Function, Inst, Operand};

const MOST: u64 = 32;

/// A load from a small constant table.
pub(crate) struct Table<'m> {
    /// The variable.
    pub(crate) start: Value<'m>,
    /// The table in memory, as a vector.
    pub(crate) ty: Type<'m>,
    /// Where in it the work-item loads: in units of `1 << shift` a element.
    pub(crate) index: Operand<'m>,
    pub(crate) shift: u32,
}

/// The table that an instruction loads from, if it is one: of at most 32 numbers of at most 32 bits.
pub(crate) fn table<'m>(module: &Module<'_>, function: &Function<'m>, inst: &Inst<'m>) -> Option<Table<'m>> {
    let element = inst.value.ty();
    let fits = match element.kind() {
        TypeKind::Integer => matches!(element.int_width(), 8 | 16 | 32),
        kind => kind == TypeKind::Float,
    };
    let Some(Operand::Inst(address)) = inst.operands.first() else { return None };
    let address = function.inst(*address);
    if inst.opcode != Opcode::Load || !fits || inst.value.is_volatile() || address.opcode != Opcode::GetElementPtr {
        return None;
    }
    let [Operand::Constant(start), indices @ ..] = &address.operands[..] else { return None };
    let whole = start.value_type().filter(|_| start.is_global_constant() && start.initializer().is_some())?;
    let (bytes, all) = (module.size_of(element), module.size_of(whole));
    let step = address.value.gep_source_type()?;
    let (index, unit) = match indices {
        [index] => (*index, module.size_of(step)),
        [Operand::Constant(zero), index] if zero.as_u64() == Some(0) && step.kind() == TypeKind::Array => {
            (*index, module.size_of(step.element()?))
        }
        _ => return None,
    };
    let count = all / bytes;
    let aligned = u64::from(inst.value.alignment()) >= bytes;
    if (unit != bytes && !(unit == 1 && aligned)) || count > MOST || count == 0 {
        return None;
    }
    if !function.allows_for(Decision::Tables, inst) {
        return None;
    }
    let shift = (bytes / unit).ilog2();
    Some(Table { start: *start, ty: element.vector(count as u32), index, shift })
}
