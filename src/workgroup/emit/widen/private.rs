//! Addresses in interleaved private objects, and accesses there.

use oxicl_llvm::{GepFlags, Opcode, TypeKind, Value};

use crate::emit::widen::access::Lanes;
use crate::emit::widen::region::Widener;
use crate::failure::{Failure, failure};
use crate::ir::InstId;
use crate::recipe::{Access, Form, Interleaved, Request};

impl<'m> Widener<'_, '_, 'm> {
    /// Writes the address arithmetic in an interleaved object: what is so many bytes on in one lane's is as many times the
    /// lanes on.
    pub(crate) fn private_address(&mut self, id: InstId, shared: bool, mask: Option<Value<'m>>) -> Result<(), Failure> {
        let inst = self.function.inst(id);
        let (b, i64_type) = (self.b, self.b.context().int_type(64));
        let Some(mut ty) = inst.llvm.gep_source_type() else { return failure("an address of no type") };
        let mut offset = if shared { i64_type.zero() } else { self.splat(i64_type.zero()) };
        for (number, operand) in (0u32..).zip(inst.operands[1..].iter().copied()) {
            let index = if shared { self.first(operand)? } else { self.component(operand)? };
            if number > 0 && ty.kind() == TypeKind::Struct {
                let place = inst.llvm.operand(number + 1).and_then(|index| index.as_u64());
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
        let base = if shared { self.first(inst.operands[0])? } else { self.component(inst.operands[0])? };
        let address = b.gep(b.context().int_type(8), base, &[offset], GepFlags::NONE);
        if shared {
            self.keep_scalar(id, address);
        } else {
            self.keep_wide(id, vec![address], mask);
        }
        Ok(())
    }

    /// Loads from an interleaved object, whose units have so many bytes, or stores to it; gives the components that are loaded.
    pub(crate) fn access_private(
        &self,
        access: &Access,
        Interleaved { unit, form, blends }: Interleaved,
        stored: Option<&[Value<'m>]>,
        mask: Option<Value<'m>>,
    ) -> Result<Vec<Value<'m>>, Failure> {
        let (request, at) = (access.request, self.place(form, access.address)?);
        let part = Request { elements: request.elements.part(), as_aos: false, align: unit as u32, ..request };
        // Every lane has its own there, whether it runs or not: what those have that never run does not matter, but those that
        // have diverged run later.
        let runs_all = |mask: &Value<'m>| Some(*mask) == self.entry && !self.e.plan.by_state();
        let needs_mask = |mask: &Value<'m>| matches!(form, Form::Scattered(_)) || stored.is_some() && !runs_all(mask);
        let mask = mask.filter(needs_mask);
        let units = match stored {
            Some(components) => components.chunks(1).map(Some).collect(),
            None => vec![None; request.elements.count as usize],
        };
        let mut components = Vec::new();
        for (index, own) in (0..).zip(units) {
            let lanes = Lanes { request: part, at: self.unit_on(form, at, index * unit), mask };
            match own {
                Some(own) if blends => self.store_blended(lanes, form, own)?,
                _ => components.extend(self.load_or_store(lanes, form, own)?),
            }
        }
        Ok(components)
    }

    /// The place so many bytes on in each lane's.
    fn unit_on(&self, form: Form, at: Value<'m>, bytes: u64) -> Value<'m> {
        if form == Form::Once { at } else { self.moved(at, bytes * u64::from(self.lanes)) }
    }
}
