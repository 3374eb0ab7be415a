//! Loads and stores of a gang, as their recipes say: uniform, contiguous, strided, or each lane at its own place.

use oxicl_llvm::{GepFlags, IntPredicate, Place, Type, Value};
use oxicl_ops::symbol;
use oxicl_target::{Ability, LINE};

use crate::analyse::shape::Shape;
use crate::emit::transpose::deinterleave;
use crate::emit::vector::{advanced, picked, put_together, scalar_type, take_apart};
use crate::emit::widen::region::{Active, HARDLY, UNKNOWN, Widener};
use crate::failure::{OrFail, Result};
use crate::ir::{Operand, type_of};
use crate::recipe::{Access, Elements, Form, Request, Scattered, Way};

/// The value of LLVM's attribute `memory(argmem: write)`.
const WRITES_TO_ARGUMENTS: u64 = 2;

/// What lanes access, and where: `at` is the first lane's address, or the vector of all lanes' addresses.
#[derive(Clone, Copy)]
pub(crate) struct Lanes<'m> {
    pub(crate) request: Request,
    pub(crate) at: Value<'m>,
    /// The active lanes; all if there is none.
    pub(crate) mask: Active<'m>,
}

impl<'m> Widener<'_, '_, 'm> {
    /// LLVM's type of what is accessed.
    pub(crate) fn accessed_type(&self, request: Request) -> Type<'m> {
        let element = self.element_type(request);
        if request.elements.is_vector { element.vector(request.elements.count) } else { element }
    }

    /// LLVM's type of each of its elements.
    pub(crate) fn element_type(&self, request: Request) -> Type<'m> {
        scalar_type(self.b.context(), request.elements.element)
    }

    /// Stores the components `stored`, or loads and returns components; either may be one value in AoS layout.
    pub(crate) fn access(
        &self,
        access: &Access,
        stored: Option<&[Value<'m>]>,
        mask: Active<'m>,
    ) -> Result<Vec<Value<'m>>> {
        let (request, address) = (access.request, access.address);
        let moved = |form, at, mask| self.load_or_store(Lanes { request, at, mask }, form, stored);
        match &access.way {
            Way::Plain(form) => moved(*form, self.place(*form, address)?, mask),
            Way::Private(private) => self.access_private(access, *private, stored, mask),
            Way::UnlessWrapped { form, wrapped } => {
                let first = self.first(address)?;
                let own = || moved(Form::Scattered(*wrapped), self.component(address)?, mask);
                self.either(self.wraps(address)?, HARDLY, || moved(*form, first, mask), own)
            }
            Way::Speculated { form, apart, index, often } => {
                let pointers = self.component(address)?;
                let is_store = stored.is_some();
                // A contiguous load is masked; a contiguous store needs no mask, since all lanes are active.
                let (first, are_apart) =
                    self.side_by_side(index.as_ref(), pointers, request.elements, mask, is_store)?;
                let own = || moved(Form::Scattered(*apart), pointers, mask);
                let side_by_side = || moved(*form, first, mask.filter(|_| !is_store));
                self.either(are_apart, *often, side_by_side, own)
            }
        }
    }

    /// Loads or stores in a given form.
    pub(crate) fn load_or_store(
        &self,
        lanes: Lanes<'m>,
        form: Form,
        stored: Option<&[Value<'m>]>,
    ) -> Result<Vec<Value<'m>>> {
        match stored {
            Some(components) => self.store(lanes, form, components).map(|()| Vec::new()),
            None => self.load(lanes, form),
        }
    }

    /// The first lane's address, or the vector of all lanes' addresses if they are scattered.
    pub(crate) fn place(&self, form: Form, address: Operand) -> Result<Value<'m>> {
        if matches!(form, Form::Scattered(_)) { self.component(address) } else { self.first(address) }
    }

    /// The form of an access whose stride is the size of what each lane accesses.
    fn in_row(&self, request: Request) -> Form {
        self.recipes.form(request, Shape::Affine(request.elements.ty().size() as i64))
    }

    /// Loads contiguous values of the lanes from the context; returns components, or one value in AoS layout. There is
    /// room behind the last work-item, so that inactive lanes may be loaded too.
    pub(crate) fn load_row(
        &self,
        ty: Type<'m>,
        as_aos: bool,
        first: Value<'m>,
        mask: Active<'m>,
    ) -> Result<Vec<Value<'m>>> {
        if self.is_truth(ty) {
            let bytes = self.load_row(self.byte(), as_aos, first, mask)?;
            return Ok(bytes.iter().map(|byte| self.b.trunc(*byte, self.vector(ty))).collect());
        }
        let Some(elements) = Elements::of(&type_of(ty)) else { return self.row_by_lane(ty, None, first, mask) };
        let request = Request::load(elements, as_aos, self.e.module.align_of(ty));
        let mask = mask.filter(|_| self.has_masks());
        self.load(Lanes { request, at: first, mask }, self.in_row(request))
    }

    /// Stores components, or a value in AoS layout, contiguously in the context.
    pub(crate) fn store_row(
        &self,
        ty: Type<'m>,
        components: &[Value<'m>],
        first: Value<'m>,
        mask: Active<'m>,
    ) -> Result<()> {
        if self.is_truth(ty) {
            let wide = self.vector(self.byte());
            let bytes: Vec<_> = components.iter().map(|component| self.b.zext(*component, wide)).collect();
            return self.store_row(self.byte(), &bytes, first, mask);
        }
        let Some(elements) = Elements::of(&type_of(ty)) else {
            return self.row_by_lane(ty, Some(&self.split(ty, components.to_vec())), first, mask).map(|_| ());
        };
        let request = Request::store(elements, self.is_aos(ty, components), self.e.module.align_of(ty));
        let form = self.in_row(request);
        let lanes = Lanes { request, at: first, mask };
        let may_blend =
            matches!(form, Form::Contiguous | Form::ContiguousOrByLane | Form::ContiguousWords) && !self.has_masks();
        if may_blend { self.store_blended(lanes, form, components) } else { self.store(lanes, form, components) }
    }

    /// Is it an `i1`? Memory holds one as a byte.
    fn is_truth(&self, ty: Type<'m>) -> bool {
        ty == self.b.context().int_type(1)
    }

    fn byte(&self) -> Type<'m> {
        self.b.context().int_type(8)
    }

    /// A store as load, blend and store, where no other thread sees the memory: inactive lanes keep what they had.
    pub(crate) fn store_blended(&self, lanes: Lanes<'m>, form: Form, components: &[Value<'m>]) -> Result<()> {
        let Some(mask) = lanes.mask else { return self.store(lanes, form, components) };
        let all = Lanes { mask: None, ..lanes };
        let there = self.load(Lanes { request: Request { is_store: false, ..lanes.request }, ..all }, form)?;
        // `freeze`, since LLVM's code generator would turn a blend with the loaded value into a masked store.
        let blend =
            |(new, old): (&Value<'m>, &Value<'m>)| self.b.select(self.mask_for(*new, mask), *new, self.b.freeze(*old));
        let blended: Vec<_> = components.iter().zip(&there).map(blend).collect();
        self.store(all, form, &blended)
    }

    /// Are masked loads and stores as cheap as others?
    fn has_masks(&self) -> bool {
        self.recipes.vectors.can(Ability::Masks)
    }

    /// Loads; returns components, or one value in AoS layout. Lanes outside the mask hold anything.
    pub(crate) fn load(&self, lanes: Lanes<'m>, form: Form) -> Result<Vec<Value<'m>>> {
        let Lanes { request, at, mask } = lanes;
        let b = self.b;
        let (Elements { bytes, count, .. }, align) = (request.elements, request.align);
        let (ty, element) = (self.accessed_type(request), self.element_type(request));
        let narrow = align.min(bytes as u32).max(1);
        let components = match form {
            Form::Once => {
                let value = b.load(ty, at, align);
                if request.as_aos {
                    return Ok(vec![self.repeated(value)]);
                }
                take_apart(b, value)?.into_iter().map(|component| self.splat(component)).collect()
            }
            Form::ContiguousWords => {
                let wide = self.vector(b.context().int_type(8 * request.elements.all_bytes() as u32));
                let words = match mask {
                    None => b.load(wide, at, align.max(1)),
                    Some(mask) => self.load_by("llvm.masked.load", wide, at, mask, align)?,
                };
                self.parts_of(words, element, count)
            }
            Form::ContiguousOrByLane => return self.contiguous_or_by_lane(lanes, None),
            Form::Contiguous => {
                let wide = element.vector(count * self.lanes);
                let all = match mask {
                    None => b.load(wide, at, narrow),
                    Some(mask) => {
                        let (mask, ty) = self.masked_as(request, mask);
                        b.bit_cast(self.load_by("llvm.masked.load", ty, at, mask, narrow)?, wide)
                    }
                };
                if request.as_aos {
                    return Ok(vec![all]);
                }
                deinterleave(b, self.recipes.vectors, all, count, self.lanes)
            }
            Form::Reversed => {
                let (lanes, form) = self.forwards(lanes)?;
                self.load(lanes, form)?.into_iter().map(|component| self.reversed(component)).collect()
            }
            Form::Strided { factor: Some(factor), .. } if mask.is_none() => {
                // The gaps between lanes are on the lanes' pages; nothing behind the last lane is loaded.
                let all = b.load(element.vector((self.lanes - 1) * factor + 1), at, narrow);
                vec![picked(b, all, (0..self.lanes).map(|lane| lane * factor))]
            }
            Form::Strided { stride, walks, scattered, .. } => {
                let gather = || match scattered {
                    Scattered::ByLane => Ok(self.gather_by_lane(lanes, Some(stride))),
                    _ => self.gather(Lanes { at: self.steps_from(at, stride), ..lanes }, scattered),
                };
                if walks { self.walk(lanes, stride, None, gather)? } else { gather()? }
            }
            Form::Scattered(scattered) => self.gather(lanes, scattered)?,
        };
        Ok(if request.as_aos { vec![self.join(ty, components)] } else { components })
    }

    /// Stores components, or a value in AoS layout. Where lanes share a place, the last one wins.
    pub(crate) fn store(&self, lanes: Lanes<'m>, form: Form, components: &[Value<'m>]) -> Result<()> {
        let Lanes { request, at, mask } = lanes;
        let b = self.b;
        let (Elements { bytes, .. }, align) = (request.elements, request.align);
        let ty = self.accessed_type(request);
        let moves_whole = match form {
            Form::Contiguous | Form::ContiguousOrByLane => true,
            Form::Strided { scattered, .. } | Form::Scattered(scattered) => match scattered {
                Scattered::ByLane => true,
                Scattered::Words(word) => request.is_word(word),
                Scattered::Elements => false,
            },
            _ => false,
        };
        if self.is_aos(ty, components) && !(moves_whole && request.as_aos) {
            return self.store(lanes, form, &self.split(ty, components.to_vec()));
        }
        match form {
            Form::Once => {
                let lane = self.last_lane(mask)?;
                let mut parts = components.iter().map(|component| b.extract_element(*component, lane));
                b.store(put_together(b, ty, &mut parts)?, at, align);
            }
            Form::ContiguousWords => {
                let wide = self.vector(b.context().int_type(8 * request.elements.all_bytes() as u32));
                let words = self.word_from(components, wide);
                match mask {
                    None => _ = b.store(words, at, align.max(1)),
                    Some(mask) => self.store_by("llvm.masked.store", words, at, mask, align)?,
                }
            }
            Form::ContiguousOrByLane => _ = self.contiguous_or_by_lane(lanes, Some(components))?,
            Form::Contiguous => {
                let all = self.join(ty, components.to_vec());
                let align = align.min(bytes as u32).max(1);
                match mask {
                    None if request.streams => self.store_streaming(all, at, align),
                    None => _ = b.store(all, at, align),
                    Some(mask) => {
                        let (mask, ty) = self.masked_as(request, mask);
                        let all = if all.ty() == ty { all } else { b.bit_cast(b.freeze(all), ty) };
                        self.store_by("llvm.masked.store", all, at, mask, align)?
                    }
                }
            }
            Form::Reversed => {
                let components: Vec<_> = components.iter().map(|component| self.reversed(*component)).collect();
                let (lanes, form) = self.forwards(lanes)?;
                self.store(lanes, form, &components)?;
            }
            Form::Strided { stride, walks, scattered, .. } => {
                let scatter = || match scattered {
                    Scattered::ByLane => {
                        self.scatter_by_lane(lanes, Some(stride), components);
                        Ok(())
                    }
                    _ => self.scatter(Lanes { at: self.steps_from(at, stride), ..lanes }, scattered, components),
                };
                match components {
                    [component] if walks => {
                        let otherwise = || scatter().map(|()| Vec::new());
                        self.walk(lanes, stride, Some(*component), otherwise)?;
                    }
                    _ => scatter()?,
                }
            }
            Form::Scattered(scattered) => self.scatter(lanes, scattered, components)?,
        }
        Ok(())
    }

    /// Stores a vector, by a streaming store if the launch has these and the address is that of a cache line.
    fn store_streaming(&self, value: Value<'m>, at: Value<'m>, align: u32) {
        let (b, ty) = (self.b, value.ty());
        let Some(not_streaming) = self.scalar.places.not_streaming else {
            b.store(value, at, align);
            return;
        };
        let context = b.context();
        let name = symbol::streaming_store(align, &ty.to_string());
        let function = self.e.module.function(&name).unwrap_or_else(|| {
            let operands = [ty, at.ty(), context.int_type(64)];
            let function = self.e.module.declare(&name, context.void_type().function(&operands));
            let attributes = [("nounwind", 0), ("willreturn", 0), ("nosync", 0), ("memory", WRITES_TO_ARGUMENTS)];
            for attribute in attributes.iter().filter_map(|(name, value)| context.attribute(name, *value)) {
                function.add_attribute(Place::Function, attribute);
            }
            function
        });
        let in_line = self.e.number(LINE - 1);
        b.call(function, &[value, at, b.or(not_streaming, in_line)]);
    }

    /// Loads or stores as one vector if all lanes are active. Else all lanes load one after the other, and active lanes
    /// store in a loop, which is mostly shorter than storing for all.
    fn contiguous_or_by_lane(&self, lanes: Lanes<'m>, stored: Option<&[Value<'m>]>) -> Result<Vec<Value<'m>>> {
        let all = || self.load_or_store(Lanes { mask: None, ..lanes }, Form::Contiguous, stored);
        let by_lane = || match stored {
            None => {
                let stride = lanes.request.elements.all_bytes() as i64;
                self.load(lanes, Form::Strided { stride, factor: None, walks: false, scattered: Scattered::ByLane })
            }
            Some(components) => self.store_in_loop(lanes, components),
        };
        self.unless_missing(lanes.mask, UNKNOWN, all, by_lane)
    }

    fn store_in_loop(
        &self,
        Lanes { request, at, mask }: Lanes<'m>,
        components: &[Value<'m>],
    ) -> Result<Vec<Value<'m>>> {
        let components = self.split(self.accessed_type(request), components.to_vec());
        let kept: Vec<_> = components.iter().map(|component| self.in_memory(*component)).collect();
        self.each_lane(mask, &[], |widener, lane| {
            let first = advanced(widener.b, at, request.elements.all_bytes() as i64, lane);
            for (index, component) in (0..).zip(&kept) {
                let (place, align) = widener.element_of(request, first, index);
                widener.b.store(widener.lane_of(*component, lane), place, align);
            }
            Ok(Vec::new())
        })
    }

    /// Turns lanes of negative stride round, so that the last comes first; returns the form of their access too.
    fn forwards(&self, lanes: Lanes<'m>) -> Result<(Lanes<'m>, Form)> {
        let request = lanes.request.by_parts();
        let form = self.recipes.in_row(request).or_fail("a row that is too long")?;
        let back = -(request.elements.all_bytes() as i64) * i64::from(self.lanes - 1);
        let mask = lanes.mask.map(|mask| self.by_numbers(mask, request.elements.bytes, |mask| self.reversed(mask)));
        Ok((Lanes { request, at: self.moved_by(lanes.at, self.e.number(back as u64)), mask }, form))
    }

    /// Reverses the order of the lanes in a vector.
    fn reversed(&self, vector: Value<'m>) -> Value<'m> {
        picked(self.b, vector, (0..self.lanes).rev())
    }

    /// Loads a vector by a masked intrinsic, which takes one address or one of each lane.
    pub(crate) fn load_by(
        &self,
        intrinsic: &str,
        wide: Type<'m>,
        at: Value<'m>,
        mask: Value<'m>,
        align: u32,
    ) -> Result<Value<'m>> {
        // Where LLVM writes a branch for each lane, an inactive lane would keep what its register held before. That may
        // be a denormal number, as small integers are: arithmetic with one takes over 100 cycles on Intel's processors.
        let otherwise = if self.has_masks() { wide.poison() } else { wide.zero() };
        let call = self.e.call_intrinsic(intrinsic, &[wide, at.ty()], &[at, mask, otherwise])?;
        self.align(call, 0, align);
        Ok(call)
    }

    /// Stores a vector by a masked intrinsic likewise.
    pub(crate) fn store_by(
        &self,
        intrinsic: &str,
        value: Value<'m>,
        at: Value<'m>,
        mask: Value<'m>,
        align: u32,
    ) -> Result<()> {
        self.align(self.e.call_intrinsic(intrinsic, &[value.ty(), at.ty()], &[value, at, mask])?, 1, align);
        Ok(())
    }

    fn align(&self, call: Value<'m>, parameter: u32, align: u32) {
        if let Some(attribute) = self.b.context().attribute("align", u64::from(align.max(1))) {
            call.add_attribute(Place::Parameter(parameter), attribute);
        }
    }

    /// Each lane's element, `count` times in a row.
    pub(crate) fn repeat(&self, mask: Value<'m>, count: u32) -> Value<'m> {
        if count == 1 { mask } else { picked(self.b, mask, (0..self.lanes * count).map(|i| i / count)) }
    }

    /// Each lane's bit `count` times in a row, to mask elements of `bytes` bytes.
    pub(crate) fn mask_of_parts(&self, mask: Value<'m>, count: u32, bytes: u64) -> Value<'m> {
        if count == 1 { mask } else { self.by_numbers(mask, bytes, |mask| self.repeat(mask, count)) }
    }

    /// The mask of a contiguous access, and the vector that it masks: of elements, or of integers that they make up.
    fn masked_as(&self, request: Request, mask: Value<'m>) -> (Value<'m>, Type<'m>) {
        let Elements { bytes, count, .. } = request.elements;
        match request.elements.masked_as() {
            all if all > bytes => (mask, self.vector(self.b.context().int_type(8 * all as u32))),
            _ => (self.mask_of_parts(mask, count, bytes), self.element_type(request).vector(count * self.lanes)),
        }
    }

    /// Permutes the bits of a mask by way of integers of `bytes` bytes: LLVM would move them one by one.
    fn by_numbers(&self, mask: Value<'m>, bytes: u64, moved: impl FnOnce(Value<'m>) -> Value<'m>) -> Value<'m> {
        let moved = moved(self.b.sext(mask, self.vector(self.b.context().int_type(8 * bytes as u32))));
        self.b.icmp(IntPredicate::Slt, moved, moved.ty().zero())
    }

    /// A pointer, or a vector of pointers, advanced by some bytes.
    pub(crate) fn moved(&self, pointers: Value<'m>, bytes: u64) -> Value<'m> {
        if bytes == 0 {
            return pointers;
        }
        self.moved_by(pointers, self.e.number(bytes))
    }

    /// As `moved`, by a number of bytes that is computed.
    pub(super) fn moved_by(&self, pointers: Value<'m>, bytes: Value<'m>) -> Value<'m> {
        let offset = if pointers.ty().is_vector() { self.splat(bytes) } else { bytes };
        self.b.gep(self.b.context().int_type(8), pointers, &[offset], GepFlags::NONE)
    }
}
