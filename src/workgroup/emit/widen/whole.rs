//! What lanes load and store whole, each at a place of its own: machines that gather no faster than lane by lane access all elements of
//! a lane at once, and take them from each other, or put them together, by shuffles.

use oxicl_llvm::{Opcode, Type, Value};

use crate::emit::vector::{advanced, concatenate, deinterleave, elements};
use crate::emit::widen::access::Lanes;
use crate::emit::widen::region::Widener;
use crate::recipe::Request;

/// Bytes of the longest number that vectors are made of; longer values are vectors by themselves.
const LONGEST_NUMBER: u64 = 8;

impl<'m> Widener<'_, '_, 'm> {
    /// Each lane's elements, or the value in AoS layout; lanes outside the mask have anything. With a stride, lanes follow the first one's place by so many bytes.
    pub(crate) fn gather_whole(&self, lanes: Lanes<'m>, stride: Option<i64>) -> Vec<Value<'m>> {
        let (request, places) = (lanes.request, self.lane_places(lanes, stride));
        let (b, count) = (self.b, request.elements.count);
        let whole = self.whole_type(request);
        let loaded = places.into_iter().map(|place| b.load(whole, place, request.align));
        let all = if whole.is_vector() {
            concatenate(b, loaded.collect())
        } else {
            let put = |numbers, (lane, number)| b.insert_element(numbers, number, self.e.number(lane));
            (0..).zip(loaded).fold(self.vector(whole).poison(), put)
        };
        let all = b.bit_cast(all, self.element_type(request).vector(count * self.lanes));
        if request.as_aos { vec![all] } else { deinterleave(b, all, count, self.lanes) }
    }

    /// Stores each lane's elements, the first lane's first, from components or a value in AoS layout.
    pub(crate) fn scatter_whole(&self, lanes: Lanes<'m>, stride: Option<i64>, components: &[Value<'m>]) {
        let (request, places) = (lanes.request, self.lane_places(lanes, stride));
        let (b, count) = (self.b, request.elements.count);
        let whole = self.whole_type(request);
        let all = self.join(self.accessed_type(request), components.to_vec());
        let all = if whole.is_vector() { all } else { b.bit_cast(all, self.vector(whole)) };
        for (lane, place) in (0..).zip(places) {
            let own = match whole.is_vector() {
                true => elements(b, all, lane * count, count),
                false => b.extract_element(all, self.e.number(lane.into())),
            };
            b.store(own, place, request.align);
        }
    }

    /// What a lane's elements are loaded as.
    fn whole_type(&self, request: Request) -> Type<'m> {
        match request.elements.all_bytes() {
            bytes @ ..=LONGEST_NUMBER => self.b.context().int_type(8 * bytes as u32),
            _ => self.element_type(request).vector(request.elements.count),
        }
    }

    /// The place of each lane. Those outside the mask have one in the frame, which nobody looks at.
    fn lane_places(&self, Lanes { request, at, mask }: Lanes<'m>, stride: Option<i64>) -> Vec<Value<'m>> {
        let b = self.b;
        let lanes = (0..u64::from(self.lanes)).map(|lane| self.e.number(lane));
        let places = match (mask, stride) {
            (None, Some(stride)) => return lanes.map(|lane| advanced(b, at, stride, lane)).collect(),
            (_, None) => at,
            (_, Some(stride)) => b.byte_offset(at, self.steps(b.context().int_type(64), stride)),
        };
        // Chosen in vectors: of a choice by itself, LLVM may make a branch, which data foretell badly.
        let places = mask.map_or(places, |mask| {
            let (spare, pointer) = (self.e.zeroed(self.accessed_type(request)), places.ty().scalar());
            let spare = if spare.ty() == pointer { spare } else { b.cast(Opcode::AddrSpaceCast, spare, pointer) };
            b.select(mask, places, self.splat(spare))
        });
        lanes.map(|lane| b.extract_element(places, lane)).collect()
    }
}
