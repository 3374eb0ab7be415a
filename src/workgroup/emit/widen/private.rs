//! Addresses in interleaved private objects, and accesses there.

use oxicl_llvm::{GepFlags, Opcode, Type, TypeKind, Value};

use crate::arena::{InstId, Operand};
use crate::emit::widen::access::{Address, Loaded};
use crate::emit::widen::piece::Widener;
use crate::failure::{Failure, failure};

impl<'m> Widener<'_, '_, 'm> {
    /// Bytes of the unit of the interleaved object that an operand points into.
    pub(crate) fn unit(&self, operand: Operand<'m>) -> Option<u64> {
        match operand {
            Operand::Inst(id) => self.e.plan.interleaved.get(&id).copied(),
            _ => None,
        }
    }

    /// Writes the address arithmetic in an interleaved object: what is so many bytes on in one lane's is as many times the
    /// lanes on. Gives false for any other instruction.
    pub(crate) fn private_address(&mut self, id: InstId, mask: Option<Value<'m>>) -> Result<bool, Failure> {
        let inst = self.function.inst(id);
        if inst.opcode != Opcode::GetElementPtr || self.unit(Operand::Inst(id)).is_none() {
            return Ok(false);
        }
        let (b, i64_type) = (self.b, self.b.context().int_type(64));
        let shared = inst.operands[1..].iter().all(|index| self.shape(*index).is_row_uniform())
            && !self.state.wide.contains_key(&match inst.operands[0] {
                Operand::Inst(base) => base,
                _ => id,
            });
        let Some(mut ty) = inst.value.gep_source_type() else { return failure("an address of no type") };
        let mut offset = if shared { i64_type.zero() } else { self.splat(i64_type.zero()) };
        for (number, operand) in (0u32..).zip(inst.operands[1..].iter().copied()) {
            let index = if shared { self.first(operand)? } else { self.leaf(operand)? };
            if number > 0 && ty.kind() == TypeKind::Struct {
                let place = inst.value.operand(number + 1).and_then(|index| index.as_u64());
                let Some(place) = place else { return failure("a member without number") };
                let before = self.e.module.offset_of(ty, place as u32);
                let before = i64_type.const_int(before);
                offset = b.add(offset, if shared { before } else { self.splat(before) });
                let Some(member) = ty.member(place as u32) else { return failure("a member of no type") };
                ty = member;
                continue;
            }
            if number > 0 {
                let Some(element) = ty.element() else { return failure("an element of no type") };
                ty = element;
            }
            let width = index.ty().scalar().int_width();
            let target = if shared { i64_type } else { self.vector(i64_type) };
            let index = match width {
                64 => index,
                0..64 => b.cast(Opcode::SExt, index, target),
                _ => b.cast(Opcode::Trunc, index, target),
            };
            let bytes = i64_type.const_int(self.e.module.size_of(ty));
            let bytes = if shared { bytes } else { self.splat(bytes) };
            offset = b.add(offset, b.mul(index, bytes));
        }
        let lanes = i64_type.const_int(u64::from(self.lanes));
        let offset = b.mul(offset, if shared { lanes } else { self.splat(lanes) });
        let base = if shared { self.first(inst.operands[0])? } else { self.leaf(inst.operands[0])? };
        let address = b.gep(b.context().int_type(8), base, &[offset], GepFlags::NONE);
        if shared {
            self.keep_scalar(id, address);
        } else {
            self.keep_wide(id, vec![address], mask);
        }
        Ok(true)
    }

    /// Loads from an interleaved object; gives the leaves.
    pub(crate) fn load_private(
        &self,
        ty: Type<'m>,
        operand: Operand<'m>,
        unit: u64,
        mask: Option<Value<'m>>,
    ) -> Result<Vec<Value<'m>>, Failure> {
        let address = self.address(operand)?;
        // Every lane has its own there, whether it runs or not.
        let mask = mask.filter(|_| matches!(address, Address::Each(_)));
        let mut leaves = Vec::new();
        for index in 0..self.parts(ty) {
            leaves.extend(self.load(
                Loaded::apart(ty.scalar()),
                self.unit_on(address, index, unit),
                mask,
                unit as u32,
            )?);
        }
        Ok(leaves)
    }

    /// Stores to an interleaved object.
    pub(crate) fn store_private(
        &self,
        ty: Type<'m>,
        leaves: &[Value<'m>],
        operand: Operand<'m>,
        unit: u64,
        mask: Option<Value<'m>>,
    ) -> Result<(), Failure> {
        let address = self.address(operand)?;
        // What lanes have that never run does not matter; those that have parted run later.
        let runs_all = |mask: &Value<'m>| Some(*mask) == self.entry && !self.e.plan.by_state();
        let mask = mask.filter(|mask| matches!(address, Address::Each(_)) || !runs_all(mask));
        for (index, leaf) in (0..).zip(leaves) {
            self.store(ty.scalar(), &[*leaf], self.unit_on(address, index, unit), mask, unit as u32)?;
        }
        Ok(())
    }

    fn parts(&self, ty: Type<'m>) -> u64 {
        if ty.is_vector() { ty.length() } else { 1 }
    }

    /// The address some units on.
    fn unit_on(&self, address: Address<'m>, index: u64, unit: u64) -> Address<'m> {
        let bytes = index * unit * u64::from(self.lanes);
        match address {
            _ if bytes == 0 => address,
            Address::Steps(first, stride) => {
                let offset = self.b.context().int_type(64).const_int(bytes);
                Address::Steps(self.b.gep(self.b.context().int_type(8), first, &[offset], GepFlags::NONE), stride)
            }
            Address::One(pointer) => Address::One(pointer),
            Address::Each(pointers) => Address::Each(self.moved(pointers, bytes)),
        }
    }
}
