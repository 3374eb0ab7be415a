//! Accesses that are written otherwise than one by one. An interleave group is a whole record, which lanes with
//! contiguous records load or store at once; shuffles take its numbers apart or put them together. A paired gather
//! loads two neighbouring numbers of each lane as one of twice the bits. An in-register look-up takes the place of a
//! gather.

use oxicl_llvm::{TypeKind, Value};

use crate::analyse::idioms::table::Table;
use crate::emit::vector::{concatenate, elements, resized, scalar_type};
use crate::emit::widen::access::Lanes;
use crate::emit::widen::region::{Active, HARDLY, Widener};
use crate::failure::{OrFail, Result, failure};
use crate::ir::{Inst, InstId};
use crate::recipe::{Form, PairAccess, RecordAccess};

/// Elements of 32 bits in a register that permutations take. A table has at most two registers of them.
const IN_REGISTER: u32 = 16;

impl<'m> Widener<'_, '_, 'm> {
    /// Loads or stores a whole record; returns what the instruction `id` itself loads.
    pub(crate) fn record(&mut self, id: InstId, whole: &RecordAccess, mask: Active<'m>) -> Result<Vec<Value<'m>>> {
        let (function, record) = (self.function, &whole.record);
        let stored = match whole.request.is_store {
            true => {
                let values = record.members.iter().map(|member| self.component(function.inst(*member).operands[0]));
                Some(values.collect::<Result<Vec<_>>>()?)
            }
            false => None,
        };
        let before = self.b.context().int_type(64).const_signed(-record.before);
        let moved = |form, address| {
            let lanes = Lanes { request: whole.request, at: self.moved_by(address, before), mask };
            self.load_or_store(lanes, form, stored.as_deref())
        };
        let first = self.first(record.address)?;
        let loaded = match whole.wrapped {
            None => moved(whole.form, first)?,
            Some(wrapped) => {
                let own = || moved(Form::Scattered(wrapped), self.component(record.address)?);
                self.either(self.wraps(record.address)?, HARDLY, || moved(whole.form, first), own)?
            }
        };
        let mut own = Vec::new();
        for (member, value) in record.members.iter().zip(loaded) {
            if *member == id {
                own.push(value);
            } else {
                self.state.wide.insert(*member, vec![value]);
            }
        }
        Ok(own)
    }

    /// Loads a pair. Returns what its earlier load gives, and keeps what the later one gives.
    pub(crate) fn pair(
        &mut self,
        PairAccess { pair, request, scattered }: &PairAccess,
        mask: Active<'m>,
    ) -> Result<Vec<Value<'m>>> {
        let lanes = Lanes { request: *request, at: self.component(pair.address)?, mask };
        let both = self.gather(lanes, *scattered)?;
        let [lower, upper] = both[..] else { return failure("a pair of more than two") };
        let (own, other) = if pair.in_order { (lower, upper) } else { (upper, lower) };
        self.state.wide.insert(pair.later, vec![other]);
        Ok(vec![own])
    }

    /// What lanes load from a constant table that fits two registers, and is kept there: a permutation picks their
    /// elements. That takes a cycle or two, where a gather asks the cache once a lane.
    pub(crate) fn looked_up(&self, inst: &Inst<'m>, table: &Table) -> Result<Value<'m>> {
        let names = ["llvm.x86.avx512.permvar.si.512", "llvm.x86.avx512.vpermi2var.d.512"];
        let count = table.count;
        let permute = self
            .e
            .module
            .intrinsic(names[usize::from(count > IN_REGISTER)], &[])
            .or_fail("LLVM has no such permutation")?;
        let (b, i32_type) = (self.b, self.b.context().int_type(32));
        let ty = scalar_type(b.context(), table.element).vector(count);
        let numbers = b.load(ty, self.llvm_constant(table.start), 1);
        let numbers = match numbers.ty().scalar().kind() {
            TypeKind::Float => b.bit_cast(numbers, i32_type.vector(count)),
            _ => resized(b, numbers, i32_type.vector(count), false),
        };
        let part = |values: Value<'m>, from: u32| elements(b, values, from, IN_REGISTER);
        let mut index = self.component(table.index)?;
        if table.shift > 0 {
            index = b.lshr(index, self.splat(index.ty().scalar().const_int(u64::from(table.shift))));
        }
        let index = resized(b, index, self.vector(i32_type), true);
        let low = part(numbers, 0);
        let pick = |from: u32| match count > IN_REGISTER {
            true => b.call(permute, &[low, part(index, from), part(numbers, IN_REGISTER)]),
            false => b.call(permute, &[low, part(index, from)]),
        };
        let found = (0..self.lanes).step_by(IN_REGISTER as usize).map(pick).collect();
        let found = elements(b, concatenate(b, found), 0, self.lanes);
        Ok(match inst.llvm.ty().kind() {
            TypeKind::Float => b.bit_cast(found, self.vector(inst.llvm.ty())),
            _ => resized(b, found, self.vector(inst.llvm.ty()), false),
        })
    }
}
