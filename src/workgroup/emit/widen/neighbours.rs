//! Strided accesses lane by lane, and speculated contiguous ones: accesses whose lanes lie apart, without the machine's gathers
//! and scatters where something is faster.
//!
//! A load or store a lane takes half the time of a gather or scatter where the distance from lane to lane is a
//! constant, so that no address has to be computed. And lanes whose indices were divided, masked, shifted, kept within
//! bounds or given to a function often lie side by side after all, as columns and rows made of one number do: to find
//! that out takes a tenth of a gather's time. Both are for gangs of which all lanes are there; which is asked where
//! there is a mask.

use oxicl_llvm::{GepFlags, IntPredicate, Opcode, Type, Value};

use crate::analyse::idioms::neighbours::{may_be_neighbours, may_walk};
use crate::analyse::shape::Shape;
use crate::arena::{InstId, Operand};
use crate::bounds::leaves::LONGEST;
use crate::bounds::neighbours::MOST_WALKED;
use crate::emit::widen::access::{Address, Loaded};
use crate::emit::widen::piece::Widener;
use crate::failure::Failure;

/// The addresses of lanes, and the operand that they are.
#[derive(Clone, Copy)]
pub(crate) struct Pointers<'m> {
    pub(crate) operand: Operand<'m>,
    pub(crate) pointers: Value<'m>,
}

impl<'m> Widener<'_, '_, 'm> {
    /// Is a lane not in the mask? No value where none can be missing.
    fn some_missing(&self, mask: Option<Value<'m>>) -> Option<Value<'m>> {
        let bits = self.bits(mask?);
        Some(self.b.icmp(IntPredicate::Ne, bits, bits.ty().all_ones()))
    }

    /// Loads from places that may turn out to be side by side; gives the leaves, or the value in one.
    pub(crate) fn load_neighbours(
        &self,
        loaded: Loaded<'m>,
        address: Pointers<'m>,
        mask: Option<Value<'m>>,
        align: u32,
    ) -> Result<Vec<Value<'m>>, Failure> {
        // A lane that is not there is loaded from nowhere.
        let (first, apart, bytes) = self.apart(loaded.ty, address, mask, false)?;
        self.either(
            apart,
            false,
            || self.load(loaded, Address::Steps(first, bytes), mask, align),
            || self.load(loaded, Address::Each(address.pointers), mask, align),
        )
    }

    /// Stores likewise.
    pub(crate) fn store_neighbours(
        &self,
        ty: Type<'m>,
        leaves: &[Value<'m>],
        address: Pointers<'m>,
        mask: Option<Value<'m>>,
        align: u32,
    ) -> Result<(), Failure> {
        let (first, apart, bytes) = self.apart(ty, address, mask, true)?;
        let store = |address, mask| self.store(ty, leaves, address, mask, align).map(|()| Vec::new());
        self.either(
            apart,
            false,
            || store(Address::Steps(first, bytes), None),
            || store(Address::Each(address.pointers), mask),
        )?;
        Ok(())
    }

    /// The first lane's address, whether the others do not follow it side by side, and the bytes of one. Lanes outside the mask
    /// count as apart if all are wanted.
    fn apart(
        &self,
        ty: Type<'m>,
        Pointers { operand, pointers }: Pointers<'m>,
        mask: Option<Value<'m>>,
        all: bool,
    ) -> Result<(Value<'m>, Value<'m>, i64), Failure> {
        let bytes = self.e.module.size_of(ty) as i64;
        if let Some((first, apart)) = self.apart_by_index(operand, bytes, mask, all)? {
            return Ok((first, apart, bytes));
        }
        let (first, here) = self.in_steps(pointers, None, bytes);
        Ok((first, self.some_apart(here, mask, all), bytes))
    }

    /// Is a lane not among those that are in line, of those of the mask or of all?
    fn some_apart(&self, here: Value<'m>, mask: Option<Value<'m>>, all: bool) -> Value<'m> {
        let b = self.b;
        let wanted = mask.filter(|_| !all).map(|mask| self.bits(mask));
        let bits = self.bits(self.narrow(mask, here));
        b.icmp(IntPredicate::Ne, bits, wanted.unwrap_or(bits.ty().all_ones()))
    }

    /// The same from the numbers of 32 bits that the index is extended from: half the registers, and the addresses of all lanes
    /// are needed only where they are apart. `None` where an address is made of more, or these numbers are not at hand.
    fn apart_by_index(
        &self,
        address: Operand<'m>,
        bytes: i64,
        mask: Option<Value<'m>>,
        all: bool,
    ) -> Result<Option<(Value<'m>, Value<'m>)>, Failure> {
        let b = self.b;
        let Operand::Inst(address) = address else { return Ok(None) };
        let address = self.function.inst(address);
        let (Some(source), [base, Operand::Inst(index)]) = (address.value.gep_source_type(), &address.operands[..])
        else {
            return Ok(None);
        };
        let index = self.function.inst(*index);
        let [Operand::Inst(short)] = index.operands[..] else { return Ok(None) };
        // Behind the last number that extends to what follows, lanes are apart.
        let last = match index.opcode {
            Opcode::SExt => i32::MAX as u64,
            Opcode::ZExt => u64::from(u32::MAX),
            _ => return Ok(None),
        };
        let fits = self.e.module.size_of(source) as i64 == bytes
            && self.function.inst(short).value.ty().int_width() == 32
            && self.shape(*base).is_row_uniform()
            && self.is_at_hand(*base)
            && self.shape(Operand::Inst(short)) == Shape::Varying;
        // What is added to all lanes does not matter, so that accesses that differ by that only ask the same.
        let (short, more) = self.without_shared(short);
        let Some([numbers]) = self.state.wide.get(&short).map(Vec::as_slice).filter(|_| fits) else { return Ok(None) };
        // The first lane may be outside the mask, and have nothing.
        let first = b.freeze(b.extract_element(*numbers, b.context().int_type(64).zero()));
        let here = b.freeze(b.icmp(IntPredicate::Eq, *numbers, self.steps_from(first, 1)));
        let is_apart = self.some_apart(here, mask, all);
        let first = match more {
            Some(more) => b.freeze(b.add(first, self.first(more)?)),
            None => first,
        };
        let is_greater = if index.opcode == Opcode::SExt { IntPredicate::Sgt } else { IntPredicate::Ugt };
        let wraps = b.icmp(is_greater, first, first.ty().const_int(last - u64::from(self.lanes)));
        let apart = b.or(is_apart, wraps);
        let first = b.cast(index.opcode, first, index.value.ty());
        Ok(Some((b.gep(source, self.first(*base)?, &[first], GepFlags::NONE), apart)))
    }

    /// The varying part of a sum with what all lanes share, and the other part; a number that is none as it is.
    fn without_shared(&self, number: InstId) -> (InstId, Option<Operand<'m>>) {
        let inst = self.function.inst(number);
        match (inst.opcode, &inst.operands[..]) {
            (Opcode::Add, [one, other]) => {
                let parts = [(one, other), (other, one)].into_iter().find_map(|(varying, shared)| match varying {
                    Operand::Inst(id) if self.shape(*varying) == Shape::Varying && self.state.wide.contains_key(id) => {
                        let known = self.shape(*shared).is_row_uniform() && self.is_at_hand(*shared);
                        known.then_some((*id, Some(*shared)))
                    }
                    _ => None,
                });
                parts.unwrap_or((number, None))
            }
            _ => (number, None),
        }
    }

    /// The first lane's address, and the lanes of the mask that follow it at so many bytes from one to the next.
    pub(crate) fn in_steps(&self, pointers: Value<'m>, mask: Option<Value<'m>>, bytes: i64) -> (Value<'m>, Value<'m>) {
        let b = self.b;
        // It may be nothing in particular, if that lane is not there, but the same nothing wherever it is used.
        let first = b.freeze(b.extract_element(pointers, b.context().int_type(64).zero()));
        let here = b.freeze(b.icmp(IntPredicate::Eq, pointers, self.steps_from(first, bytes)));
        (first, self.narrow(mask, here))
    }

    /// May lanes be asked whether they lie side by side?
    pub(crate) fn asks_for_neighbours(&self, ty: Type<'m>, operand: Operand<'m>) -> bool {
        let bytes = self.e.module.size_of(ty) as i64;
        let parts = if ty.is_vector() { u64::from(ty.length() as u32) } else { 1 };
        self.is_dense(ty, bytes)
            && parts * u64::from(self.lanes) <= LONGEST
            && may_be_neighbours(self.function, &self.e.plan.shapes, operand)
    }

    /// Are lanes at a constant distance loaded and stored one by one?
    pub(crate) fn walks(&self, ty: Type<'m>) -> bool {
        self.lanes <= MOST_WALKED && may_walk(self.function, ty)
    }

    /// Loads one number for each lane from places at a constant distance, or does `otherwise` where lanes are missing.
    pub(crate) fn walk_load(
        &self,
        element: Type<'m>,
        first: Value<'m>,
        stride: i64,
        mask: Option<Value<'m>>,
        align: u32,
        otherwise: impl FnOnce() -> Result<Vec<Value<'m>>, Failure>,
    ) -> Result<Vec<Value<'m>>, Failure> {
        let b = self.b;
        let walk = || {
            let nothing = self.vector(element).poison();
            Ok(vec![self.lane_numbers().fold(nothing, |all, lane| {
                b.insert_element(all, b.load(element, self.step(first, stride, lane), align), lane)
            })])
        };
        match self.some_missing(mask) {
            None => walk(),
            Some(missing) => self.either(missing, true, walk, otherwise),
        }
    }

    /// Stores likewise.
    pub(crate) fn walk_store(
        &self,
        leaf: Value<'m>,
        first: Value<'m>,
        stride: i64,
        mask: Option<Value<'m>>,
        align: u32,
        otherwise: impl FnOnce() -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let b = self.b;
        let walk = || {
            for lane in self.lane_numbers() {
                b.store(b.extract_element(leaf, lane), self.step(first, stride, lane), align);
            }
            Ok(Vec::new())
        };
        match self.some_missing(mask) {
            None => walk().map(|_: Vec<Value<'m>>| ()),
            Some(missing) => self.either(missing, true, walk, || otherwise().map(|()| Vec::new())).map(|_| ()),
        }
    }

    /// The numbers of all lanes.
    fn lane_numbers(&self) -> impl Iterator<Item = Value<'m>> {
        let ty = self.b.context().int_type(64);
        (0..u64::from(self.lanes)).map(move |lane| ty.const_int(lane))
    }
}
