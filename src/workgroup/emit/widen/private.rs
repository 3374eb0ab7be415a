//! Addresses in interleaved private objects, and accesses to these.

use oxicl_llvm::{IntPredicate, Opcode, Value};

use crate::analyse::interleave::{Among, Units};
use crate::emit::private::bytes_on;
use crate::emit::vector::resized;
use crate::emit::widen::access::Lanes;
use crate::emit::widen::region::{Active, Widener};
use crate::failure::{OrFail, Result};
use crate::ir::{InstId, Operand};
use crate::recipe::{Access, Form, Interleaved, Request, UnitAccess};

/// The place of a number in an interleaved object with longer units: of the first lane, or of each.
struct Within<'m> {
    unit: Value<'m>,
    /// From the unit's first byte.
    bytes: Value<'m>,
}

impl<'m> Widener<'_, '_, 'm> {
    /// Writes the address arithmetic in an interleaved object: the offset in one lane's object, times the number of
    /// lanes or work-items whose units lie side by side.
    pub(crate) fn private_address(&mut self, id: InstId, shared: bool, mask: Active<'m>) -> Result<()> {
        let inst = self.function.inst(id);
        let b = self.b;
        let number = |value| if shared { self.e.number(value) } else { self.splat(self.e.number(value)) };
        let index = |operand| if shared { self.first(operand) } else { self.component(operand) };
        let offset = bytes_on(b, self.e.module, inst, number, index)?;
        let units = self.recipes.shapes.units(Operand::Inst(id)).or_fail("an address of no units")?;
        let units_between = self.units_between(units)?;
        let offset = b.mul(offset, if shared { units_between } else { self.splat(units_between) });
        let base = if shared { self.first(inst.operands[0])? } else { self.component(inst.operands[0])? };
        let address = b.byte_offset(base, offset);
        if shared {
            self.keep_scalar(id, address);
        } else {
            self.keep_wide(id, vec![address], mask);
        }
        Ok(())
    }

    /// Loads from an interleaved object, or stores to it; returns the components that are loaded.
    pub(crate) fn access_private(
        &self,
        access: &Access,
        Interleaved { units, access: how }: Interleaved,
        stored: Option<&[Value<'m>]>,
        mask: Active<'m>,
    ) -> Result<Vec<Value<'m>>> {
        let (b, request) = (self.b, access.request);
        let part = request.of_unit();
        // In a gang every lane has units of its own, so a store by a lane that did not enter does no harm, unless that
        // lane runs the region later: lanes that have diverged do.
        let has_room = units.among == Among::Gang && !self.e.plan.by_state();
        let runs_all = |mask: &Value<'m>| Some(*mask) == self.entry && has_room;
        let is_scattered = matches!(how, UnitAccess::Placed { form: Form::Scattered(_), .. } | UnitAccess::Within(_));
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
                    let lanes = Lanes { request: part, at: self.unit_on(units, form, at, index)?, mask };
                    match own {
                        Some(own) if blends => self.store_blended(lanes, form, own)?,
                        _ => components.extend(self.load_or_store(lanes, form, own)?),
                    }
                }
            }
            UnitAccess::Chosen { step } => {
                // 32 bits, as an object that is chosen from is small.
                let offset = self.offset_in(units, self.component(access.address)?)?;
                let offset = b.cast(Opcode::Trunc, offset, self.vector(b.context().int_type(32)));
                for (index, own) in (0..).zip(parts) {
                    let lanes = Lanes { request: part, at: offset, mask };
                    components.extend(self.choose(lanes, units, index, step, own)?);
                }
            }
            UnitAccess::Shifted => components.extend(self.access_shifted(access, units, stored, mask)?),
            UnitAccess::Within(scattered) => {
                let Within { unit, bytes } = self.within(units, self.component(access.address)?)?;
                let lanes = Lanes { request: part, at: b.byte_offset(unit, bytes), mask };
                components = self.load_or_store(lanes, Form::Scattered(scattered), stored)?;
            }
        }
        Ok(components)
    }

    /// Loads numbers that are shorter than their units, or stores them: a store keeps the rest of each unit, and the
    /// units of lanes outside the mask.
    fn access_shifted(
        &self,
        access: &Access,
        units: Units,
        stored: Option<&[Value<'m>]>,
        mask: Active<'m>,
    ) -> Result<Option<Value<'m>>> {
        let b = self.b;
        let (request, element) = (access.request.of_word(units), self.element_type(access.request));
        let word = self.element_type(request);
        let short = self.vector(b.context().int_type(8 * access.request.elements.bytes as u32));
        let Within { unit, bytes } = self.within(units, self.first(access.address)?)?;
        let bits = self.splat(resized(b, b.mul(bytes, self.e.number(8)), word, false));
        let lanes = Lanes { request, at: unit, mask: None };
        let there = self.load(Lanes { request: Request { is_store: false, ..request }, ..lanes }, Form::Contiguous)?[0];
        let Some([own]) = stored else {
            return Ok(Some(b.bit_cast(b.trunc(b.lshr(there, bits), short), self.vector(element))));
        };
        // `freeze`, since a number that a lane leaves undefined is not to spoil the rest of its unit.
        let shift = |value| b.shl(b.zext(value, there.ty()), bits);
        let (there, own) = (b.freeze(there), b.freeze(b.bit_cast(*own, short)));
        let new = b.or(b.and(there, b.not(shift(short.all_ones()))), shift(own));
        let new = mask.map_or(new, |mask| b.select(mask, new, there));
        self.store(lanes, Form::Contiguous, &[new])?;
        Ok(None)
    }

    /// Where a number lies that is shorter than its unit. Address arithmetic has multiplied its offset in one lane's
    /// object by the number of lanes, which holds for the unit, but not for the bytes within.
    fn within(&self, units: Units, at: Value<'m>) -> Result<Within<'m>> {
        let (b, is_each) = (self.b, at.ty().is_vector());
        let number = |value| if is_each { self.splat(self.e.number(value)) } else { self.e.number(value) };
        let (object, offset) = (self.object_of(units, is_each)?, self.offset_in(units, at)?);
        // Lanes and the bytes of units are powers of two.
        let in_units = number(units.bytes * u64::from(self.lanes) - 1);
        let bytes = b.lshr(b.and(offset, in_units), number(u64::from(self.lanes.ilog2())));
        Ok(Within { unit: b.byte_offset(object, b.and(offset, b.not(in_units))), bytes })
    }

    /// The address of an object: the first lane's, or each lane's.
    fn object_of(&self, units: Units, is_each: bool) -> Result<Value<'m>> {
        let object = Operand::Inst(units.object);
        if is_each { self.component(object) } else { self.first(object) }
    }

    /// An address in an object, or each lane's, as an offset from the first unit in bytes.
    fn offset_in(&self, units: Units, at: Value<'m>) -> Result<Value<'m>> {
        let (b, is_each) = (self.b, at.ty().is_vector());
        let i64_type = b.context().int_type(64);
        let ty = if is_each { self.vector(i64_type) } else { i64_type };
        let number = |pointers| b.cast(Opcode::PtrToInt, pointers, ty);
        Ok(b.sub(number(at), number(self.object_of(units, is_each)?)))
    }

    /// Accesses all units of an object that may lie `on` units behind a lane's offset in bytes, which is a multiple of
    /// `step` units, and selects for each lane the one that does. The program may access no place outside the object.
    fn choose(
        &self,
        Lanes { request, at: offset, mask }: Lanes<'m>,
        units: Units,
        on: u64,
        step: u64,
        stored: Option<&[Value<'m>]>,
    ) -> Result<Option<Value<'m>>> {
        let (b, i32_type) = (self.b, self.b.context().int_type(32));
        let first = self.first(Operand::Inst(units.object))?;
        let mut loaded = None;
        for unit in (on..units.count).step_by(step as usize) {
            let here = b.trunc(self.bytes_of(units, unit - on)?, i32_type);
            let is_here = b.icmp(IntPredicate::Eq, offset, self.splat(here));
            let at = self.unit_on(units, Form::Contiguous, first, unit)?;
            let lanes = Lanes { request, at, mask: None };
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

    /// The address `count` units behind that of each lane.
    fn unit_on(&self, units: Units, form: Form, at: Value<'m>, count: u64) -> Result<Value<'m>> {
        if form == Form::Once || count == 0 { Ok(at) } else { Ok(self.moved_by(at, self.bytes_of(units, count)?)) }
    }

    /// Bytes from a lane's unit to the one `count` units behind it.
    fn bytes_of(&self, units: Units, count: u64) -> Result<Value<'m>> {
        Ok(self.b.mul(self.units_between(units)?, self.e.number(units.bytes * count)))
    }

    /// The distance from one unit of a lane to its next, in units.
    fn units_between(&self, units: Units) -> Result<Value<'m>> {
        match units.among {
            Among::Gang => Ok(self.e.number(u64::from(self.lanes))),
            Among::WorkGroup => self.e.items(),
        }
    }
}
