//! Gathers and scatters lane by lane, on machines without gathers and for element sizes that none gathers. A lane's
//! elements are accessed at once where they make up an integer or a vector; shuffles take them apart or join them.

use oxicl_llvm::{GepFlags, Opcode, Type, Value};

use crate::emit::kernel::SPARE_ALIGN;
use crate::emit::transpose::deinterleave;
use crate::emit::vector::{advanced, concatenate, elements};
use crate::emit::widen::access::Lanes;
use crate::emit::widen::region::Widener;
use crate::emit::widen::scattered::component_align;
use crate::recipe::{Request, is_whole};

/// Bytes of the longest integer that vectors are built from; longer values are vectors by themselves.
const LONGEST_NUMBER: u64 = 8;

impl<'m> Widener<'_, '_, 'm> {
    /// Loads each lane's elements; returns components, or one value in AoS layout if that is requested and needs no
    /// shuffle. Lanes outside the mask hold anything. With a `stride` in bytes, `lanes` has the first lane's address.
    pub(crate) fn gather_by_lane(&self, lanes: Lanes<'m>, stride: Option<i64>) -> Vec<Value<'m>> {
        let request = Request { align: lanes.request.align.min(SPARE_ALIGN), ..lanes.request };
        let places = self.lane_places(lanes, stride);
        let (b, elements) = (self.b, request.elements);
        if elements.are_three_bytes() {
            let (three, word) = self.three_bytes();
            let words = self.vector_of(places.iter().map(|place| b.zext(b.load(three, *place, request.align), word)));
            return self.parts_of(words, self.element_type(request), elements.count);
        }
        if !is_whole(elements, self.lanes) {
            let one = |index| {
                let each = places.iter().map(|place| self.element_of(request, *place, index));
                self.vector_of(each.map(|(place, align)| b.load(self.element_type(request), place, align)))
            };
            return (0..u64::from(elements.count)).map(one).collect();
        }
        let whole = self.whole_type(request);
        let loaded = places.iter().map(|place| b.load(whole, *place, request.align));
        let all = if whole.is_vector() { concatenate(b, loaded.collect()) } else { self.vector_of(loaded) };
        let all = b.bit_cast(all, self.element_type(request).vector(elements.count * self.lanes));
        if request.as_aos { vec![all] } else { deinterleave(b, self.recipes.vectors, all, elements.count, self.lanes) }
    }

    /// Stores each lane's elements, in the order of the lanes, from components or a value in AoS layout.
    pub(crate) fn scatter_by_lane(&self, lanes: Lanes<'m>, stride: Option<i64>, components: &[Value<'m>]) {
        let request = Request { align: lanes.request.align.min(SPARE_ALIGN), ..lanes.request };
        let places = self.lane_places(lanes, stride);
        let (b, count) = (self.b, request.elements.count);
        if request.elements.are_three_bytes() {
            let (three, word) = self.three_bytes();
            let words =
                self.word_from(&self.split(self.accessed_type(request), components.to_vec()), self.vector(word));
            for (lane, place) in (0..).zip(places) {
                b.store(b.trunc(b.extract_element(words, self.e.number(lane)), three), place, request.align);
            }
            return;
        }
        if !is_whole(request.elements, self.lanes) {
            for (lane, place) in (0..).zip(places) {
                for (index, component) in (0..).zip(components) {
                    let (place, align) = self.element_of(request, place, index);
                    b.store(b.extract_element(*component, self.e.number(lane)), place, align);
                }
            }
            return;
        }
        let whole = self.whole_type(request);
        let all = self.join(self.accessed_type(request), components.to_vec());
        // A poison element must not make the integer poison that it is part of.
        let all = if whole.is_vector() { all } else { b.bit_cast(b.freeze(all), self.vector(whole)) };
        for (lane, place) in (0..).zip(places) {
            let own = match whole.is_vector() {
                true => elements(b, all, lane * count, count),
                false => b.extract_element(all, self.e.number(lane.into())),
            };
            b.store(own, place, request.align);
        }
    }

    /// The integer of three bytes in memory, and the word that holds it in a vector.
    fn three_bytes(&self) -> (Type<'m>, Type<'m>) {
        (self.b.context().int_type(24), self.b.context().int_type(32))
    }

    /// The address of an element of a lane, and its alignment.
    pub(super) fn element_of(&self, request: Request, place: Value<'m>, index: u64) -> (Value<'m>, u32) {
        let offset = index * request.elements.bytes;
        (self.moved(place, offset), component_align(request.align, offset))
    }

    /// The vector of one number of each lane.
    fn vector_of(&self, numbers: impl Iterator<Item = Value<'m>>) -> Value<'m> {
        let numbers: Vec<_> = numbers.collect();
        let ty = numbers.first().map_or(self.b.context().int_type(8), |number| number.ty());
        let put = |all, (lane, number)| self.b.insert_element(all, number, lane);
        self.lane_numbers().zip(numbers).fold(self.vector(ty).poison(), put)
    }

    /// The type as which a lane's elements are accessed at once.
    fn whole_type(&self, request: Request) -> Type<'m> {
        match request.elements.all_bytes() {
            bytes @ ..=LONGEST_NUMBER => self.b.context().int_type(8 * bytes as u32),
            _ => self.element_type(request).vector(request.elements.count),
        }
    }

    /// The address of each lane. Lanes outside the mask get one in the frame that nothing depends on.
    fn lane_places(&self, Lanes { request, at, mask }: Lanes<'m>, stride: Option<i64>) -> Vec<Value<'m>> {
        let b = self.b;
        let lanes = self.lane_numbers();
        let places = match (mask, stride) {
            (None, Some(stride)) => return lanes.map(|lane| advanced(b, at, stride, lane)).collect(),
            (None, None) if vectors_of_place(at) == 1 => return lanes.map(|lane| self.place_of(at, lane)).collect(),
            (_, None) => at,
            (_, Some(stride)) => b.byte_offset(at, self.steps(b.context().int_type(64), stride)),
        };
        // Selected in vectors: LLVM may turn a scalar select into a branch, which data make hard to predict.
        let places = mask.map_or(places, |mask| {
            let (spare, pointer) = (self.e.spare(request.is_store), places.ty().scalar());
            let spare = if spare.ty() == pointer { spare } else { b.cast(Opcode::AddrSpaceCast, spare, pointer) };
            b.select(mask, places, self.splat(spare))
        });
        lanes.map(|lane| b.extract_element(places, lane)).collect()
    }

    /// A lane's address or index, computed from the lane's operands. Machines add and scale within the access, and
    /// 32-bit indices are extracted from half as many registers. What a loop adds uniformly is added afterwards.
    fn place_of(&self, places: Value<'m>, lane: Value<'m>) -> Value<'m> {
        let b = self.b;
        if !places.ty().is_vector() {
            return places;
        }
        let Some(parts) = parts_of_place(places) else { return b.extract_element(places, lane) };
        let parts: Vec<_> = parts.into_iter().map(|part| self.place_of(part, lane)).collect();
        match (places.opcode(), places.gep_source_type(), &parts[..]) {
            (_, Some(source), [base, indices @ ..]) => b.gep(source, *base, indices, GepFlags::NONE),
            (Some(opcode), _, [left, right]) => b.binary(opcode, *left, *right),
            (Some(opcode @ (Opcode::SExt | Opcode::ZExt)), _, [number]) => {
                b.cast(opcode, *number, places.ty().scalar())
            }
            _ => b.extract_element(places, lane),
        }
    }
}

/// The operands of addresses or indices, if a lane's is computed from its operands; `None` if it is extracted.
fn parts_of_place(places: Value<'_>) -> Option<Vec<Value<'_>>> {
    let is_sum = || matches!(places.opcode(), Some(Opcode::Add | Opcode::Sub));
    match places.opcode()? {
        Opcode::GetElementPtr | Opcode::SExt | Opcode::ZExt => Some(places.operands()),
        _ => Some(places.operands()).filter(|parts| is_sum() && parts.iter().any(|part| is_splat(*part))),
    }
}

/// How many vectors each lane's address takes an extraction from.
fn vectors_of_place(places: Value<'_>) -> usize {
    match parts_of_place(places) {
        _ if !places.ty().is_vector() || is_splat(places) => 0,
        Some(parts) => parts.into_iter().map(vectors_of_place).sum(),
        None => 1,
    }
}

/// Is a vector uniform or constant?
fn is_splat(vector: Value<'_>) -> bool {
    vector.is_constant() || vector.is_spread()
}
