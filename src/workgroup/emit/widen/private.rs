//! Addresses in interleaved private objects, and accesses there.

use oxicl_llvm::{GepFlags, IntPredicate, Opcode, TypeKind, Value};

use crate::analyse::interleave::Units;
use crate::emit::widen::access::Lanes;
use crate::emit::widen::region::Widener;
use crate::failure::{Failure, failure};
use crate::ir::{InstId, Operand};
use crate::recipe::{Access, Form, Interleaved, Request, UnitAccess};

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
        Interleaved { units, access: how }: Interleaved,
        stored: Option<&[Value<'m>]>,
        mask: Option<Value<'m>>,
    ) -> Result<Vec<Value<'m>>, Failure> {
        let request = access.request;
        let part = request.of_unit(units);
        // Every lane has its own there, whether it runs or not: what those have that never run does not matter, but those that
        // have diverged run later.
        let runs_all = |mask: &Value<'m>| Some(*mask) == self.entry && !self.e.plan.by_state();
        let is_scattered = matches!(how, UnitAccess::Placed { form: Form::Scattered(_), .. });
        let mask = mask.filter(|mask| is_scattered || stored.is_some() && !runs_all(mask));
        let parts = match stored {
            Some(components) => components.chunks(1).map(Some).collect(),
            None => vec![None; request.elements.count as usize],
        };
        let mut components = Vec::new();
        match how {
            UnitAccess::Placed { form, blends } => {
                let at = self.place(form, access.address)?;
                for (index, own) in (0..).zip(parts) {
                    let lanes = Lanes { request: part, at: self.unit_on(form, at, index * units.bytes), mask };
                    match own {
                        Some(own) if blends => self.store_blended(lanes, form, own)?,
                        _ => components.extend(self.load_or_store(lanes, form, own)?),
                    }
                }
            }
            UnitAccess::Chosen => {
                let offset = self.offset_in(units, access.address)?;
                for (index, own) in (0..).zip(parts) {
                    components.extend(self.choose(part, units, (offset, index), own, mask)?);
                }
            }
        }
        Ok(components)
    }

    /// How many bytes behind its first unit's place each lane's is: as a number of 32 bits, as an object that is chosen from is
    /// small.
    fn offset_in(&self, units: Units, address: Operand) -> Result<Value<'m>, Failure> {
        let (b, i64_type) = (self.b, self.vector(self.b.context().int_type(64)));
        let number = |pointers| b.cast(Opcode::PtrToInt, pointers, i64_type);
        let object = self.component(Operand::Inst(units.object))?;
        let bytes = b.sub(number(self.component(address)?), number(object));
        Ok(b.cast(Opcode::Trunc, bytes, self.vector(b.context().int_type(32))))
    }

    /// Accesses all units of an object, and loads or stores each lane's own: the one so many bytes behind the first's place, or so many units
    /// on from there. The program may ask for no other.
    fn choose(
        &self,
        part: Request,
        units: Units,
        (offset, on): (Value<'m>, u64),
        stored: Option<&[Value<'m>]>,
        mask: Option<Value<'m>>,
    ) -> Result<Option<Value<'m>>, Failure> {
        let (b, i32_type) = (self.b, self.b.context().int_type(32));
        let (first, row) = (self.first(Operand::Inst(units.object))?, units.bytes * u64::from(self.lanes));
        let mut loaded = None;
        for unit in on..units.count {
            let here = i32_type.const_int((unit - on) * row);
            let is_here = b.icmp(IntPredicate::Eq, offset, self.splat(here));
            let lanes = Lanes { request: part, at: self.moved(first, unit * row), mask: None };
            match stored {
                Some(own) => {
                    let mask = Some(self.narrow(mask, is_here));
                    self.store_blended(Lanes { mask, ..lanes }, Form::Contiguous, own)?;
                }
                None => {
                    let there = self.load(lanes, Form::Contiguous)?[0];
                    loaded = Some(loaded.map_or(there, |before| b.select(is_here, there, before)));
                }
            }
        }
        Ok(loaded)
    }

    /// The place so many bytes on in each lane's.
    fn unit_on(&self, form: Form, at: Value<'m>, bytes: u64) -> Value<'m> {
        if form == Form::Once { at } else { self.moved(at, bytes * u64::from(self.lanes)) }
    }
}
