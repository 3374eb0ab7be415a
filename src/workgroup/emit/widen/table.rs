//! In-register look-ups: a constant table that fits two registers is kept there, and a permutation picks the lanes'
//! elements. That takes a cycle or two, where a gather asks the cache once a lane.

use oxicl_llvm::{Opcode, TypeKind, Value};

use crate::analyse::idioms::table::Table;
use crate::emit::types::scalar_type;
use crate::emit::vector::{concatenate, elements};
use crate::emit::widen::region::Widener;
use crate::failure::{Result, failure};
use crate::ir::Inst;

/// Elements of 32 bits in a register that permutations take. A table has at most two registers of them.
const IN_REGISTER: u32 = 16;
impl<'m> Widener<'_, '_, 'm> {
    /// What lanes load from a constant table in registers.
    pub(crate) fn looked_up(&self, inst: &Inst<'m>, table: &Table) -> Result<Value<'m>> {
        let names = ["llvm.x86.avx512.permvar.si.512", "llvm.x86.avx512.vpermi2var.d.512"];
        let count = table.count;
        let Some(permute) = self.e.module.intrinsic(names[usize::from(count > IN_REGISTER)], &[]) else {
            return failure("LLVM has no such permutation");
        };
        let (b, i32_type) = (self.b, self.b.context().int_type(32));
        let ty = scalar_type(b.context(), table.element).vector(count);
        let numbers = b.load(ty, self.llvm_constant(table.start), 1);
        let numbers = match numbers.ty().scalar().kind() {
            TypeKind::Float => b.bit_cast(numbers, i32_type.vector(count)),
            _ if numbers.ty().scalar().int_width() < 32 => b.cast(Opcode::ZExt, numbers, i32_type.vector(count)),
            _ => numbers,
        };
        let part = |values: Value<'m>, from: u32| elements(b, values, from, IN_REGISTER);
        let mut index = self.component(table.index)?;
        if table.shift > 0 {
            index = b.lshr(index, self.splat(index.ty().scalar().const_int(u64::from(table.shift))));
        }
        let index = match index.ty().scalar().int_width() {
            32 => index,
            width if width < 32 => b.cast(Opcode::SExt, index, self.vector(i32_type)),
            _ => b.cast(Opcode::Trunc, index, self.vector(i32_type)),
        };
        let low = part(numbers, 0);
        let pick = |from: u32| match count > IN_REGISTER {
            true => b.call(permute, &[low, part(index, from), part(numbers, IN_REGISTER)]),
            false => b.call(permute, &[low, part(index, from)]),
        };
        let found = (0..self.lanes).step_by(IN_REGISTER as usize).map(pick).collect();
        let found = elements(b, concatenate(b, found), 0, self.lanes);
        Ok(match inst.llvm.ty().kind() {
            TypeKind::Float => b.bit_cast(found, self.vector(inst.llvm.ty())),
            _ if inst.llvm.ty().int_width() < 32 => b.cast(Opcode::Trunc, found, self.vector(inst.llvm.ty())),
            _ => found,
        })
    }
}
