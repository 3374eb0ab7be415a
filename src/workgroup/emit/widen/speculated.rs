//! Strided accesses lane by lane, and speculated contiguous accesses: alternatives to the machine's gathers and
//! scatters where these are slower.
//!
//! With a constant stride no address has to be computed, and a load or store for each lane takes half the time of a
//! gather or scatter. Lanes whose indices were divided, masked, shifted, clamped or passed to a function often turn out
//! to be contiguous, as rows and columns computed from one number are; finding that out takes a tenth of a gather's
//! time. Strided accesses lane by lane and speculated stores need all lanes active, which is tested where there is a
//! mask. Speculated loads need the lanes of the mask only.

use oxicl_llvm::{GepFlags, IntPredicate, Opcode, Value};

use crate::emit::vector::{advanced, scalar_type};
use crate::emit::widen::access::Lanes;
use crate::emit::widen::region::{Active, HARDLY, Widener};
use crate::failure::{OrFail, Result};
use crate::ir::Operand;
use crate::recipe::{Elements, ShortIndex};

impl<'m> Widener<'_, '_, 'm> {
    /// The first lane's address, and whether others are not contiguous with it, or outside the mask if `all`.
    pub(crate) fn side_by_side(
        &self,
        index: Option<&ShortIndex>,
        pointers: Value<'m>,
        elements: Elements,
        mask: Active<'m>,
        all: bool,
    ) -> Result<(Value<'m>, Value<'m>)> {
        if let Some(index) = index {
            return self.side_by_side_index(index, mask, all);
        }
        let (first, here) = self.in_steps(pointers, None, elements.all_bytes() as i64);
        Ok((first, self.some_apart(here, mask, all)))
    }

    /// Whether some lane of the mask, or of the gang if `all`, is not among the lanes `here` of the mask.
    fn some_apart(&self, here: Value<'m>, mask: Active<'m>, all: bool) -> Value<'m> {
        let b = self.b;
        let wanted = mask.filter(|_| !all).map(|mask| self.bits(mask));
        let bits = self.bits(self.narrow(mask, here));
        b.icmp(IntPredicate::Ne, bits, wanted.unwrap_or(bits.ty().all_ones()))
    }

    /// As `side_by_side`, from the narrow numbers that the index is extended from.
    fn side_by_side_index(&self, index: &ShortIndex, mask: Active<'m>, all: bool) -> Result<(Value<'m>, Value<'m>)> {
        let b = self.b;
        let numbers = self.component(Operand::Inst(index.number))?;
        // The first lane may be outside the mask and hold poison.
        let first = b.freeze(b.extract_element(numbers, b.context().int_type(64).zero()));
        let here = b.freeze(b.icmp(IntPredicate::Eq, numbers, self.steps_from(first, index.step as i64)));
        let is_apart = self.some_apart(here, mask, all);
        let first = match index.more {
            Some(more) => b.freeze(b.add(first, self.first(more)?)),
            None => first,
        };
        // If the narrow number wraps within the gang, the lanes are not contiguous.
        let (is_greater, last) = match index.extension {
            Opcode::SExt => (IntPredicate::Sgt, i32::MAX as u64),
            _ => (IntPredicate::Ugt, u64::from(u32::MAX)),
        };
        let wraps = b.icmp(is_greater, first, first.ty().const_int(last - index.step * u64::from(self.lanes)));
        let apart = b.or(is_apart, wraps);
        let first = b.cast(index.extension, first, scalar_type(b.context(), index.ty));
        let source = self.function.inst(index.address).llvm.gep_source_type().or_fail("an address of no type")?;
        Ok((b.gep(source, self.first(index.base)?, &[first], GepFlags::NONE), apart))
    }

    /// Returns the first lane's address, and the lanes of the mask that follow it at a stride of `bytes`.
    pub(crate) fn in_steps(&self, pointers: Value<'m>, mask: Active<'m>, bytes: i64) -> (Value<'m>, Value<'m>) {
        let b = self.b;
        // If the first lane is inactive this may be poison, but frozen it is the same wherever it is used.
        let first = b.freeze(b.extract_element(pointers, b.context().int_type(64).zero()));
        let here = b.freeze(b.icmp(IntPredicate::Eq, pointers, self.steps_from(first, bytes)));
        (first, self.narrow(mask, here))
    }

    /// If all lanes are active, loads one element each at a constant stride, or stores `stored`; else does `otherwise`.
    pub(crate) fn walk(
        &self,
        Lanes { request, at: first, mask }: Lanes<'m>,
        stride: i64,
        stored: Option<Value<'m>>,
        otherwise: impl FnOnce() -> Result<Vec<Value<'m>>>,
    ) -> Result<Vec<Value<'m>>> {
        let (b, element) = (self.b, self.element_type(request));
        let walk = || {
            let lanes = self.lane_numbers();
            let Some(component) = stored else {
                let load = |lane| b.load(element, advanced(b, first, stride, lane), request.align);
                let nothing = self.vector(element).poison();
                return Ok(vec![lanes.fold(nothing, |all, lane| b.insert_element(all, load(lane), lane))]);
            };
            lanes.for_each(|lane| {
                b.store(b.extract_element(component, lane), advanced(b, first, stride, lane), request.align);
            });
            Ok(Vec::new())
        };
        self.unless_missing(mask, HARDLY, walk, otherwise)
    }

    /// Does `all` if all lanes are active, else `otherwise`. `often` is the frequency of the latter.
    pub(super) fn unless_missing(
        &self,
        mask: Active<'m>,
        often: f64,
        all: impl FnOnce() -> Result<Vec<Value<'m>>>,
        otherwise: impl FnOnce() -> Result<Vec<Value<'m>>>,
    ) -> Result<Vec<Value<'m>>> {
        let Some(mask) = mask else { return all() };
        let bits = self.bits(mask);
        self.either(self.b.icmp(IntPredicate::Ne, bits, bits.ty().all_ones()), often, all, otherwise)
    }

    /// The numbers of all lanes.
    pub(super) fn lane_numbers(&self) -> impl Iterator<Item = Value<'m>> {
        let ty = self.b.context().int_type(64);
        (0..u64::from(self.lanes)).map(move |lane| ty.const_int(lane))
    }
}
