//! Loads and stores of a gang: once, side by side, or each lane at its own place.

use oxicl_llvm::{GepFlags, Place, Type, TypeKind, Value};

use crate::bounds::leaves::LONGEST;
use crate::emit::vector::{deinterleave, interleave, take_apart};
use crate::emit::widen::piece::Widener;
use crate::failure::{Failure, failure};

/// The addresses of a gang's lanes.
#[derive(Clone, Copy)]
pub(crate) enum Address<'m> {
    /// One for all.
    One(Value<'m>),
    /// The first lane's, and the bytes from one to the next.
    Steps(Value<'m>, i64),
    /// A vector of them.
    Each(Value<'m>),
}

/// What is loaded: its type, and whether it is kept in one.
#[derive(Clone, Copy)]
pub(crate) struct Loaded<'m> {
    pub(crate) ty: Type<'m>,
    pub(crate) in_one: bool,
}

impl<'m> Loaded<'m> {
    /// What is kept part by part.
    pub(crate) fn apart(ty: Type<'m>) -> Self {
        Loaded { ty, in_one: false }
    }
}

/// Bytes from which on machines have instructions that gather and scatter.
const GATHERED: u64 = 4;

impl<'m> Widener<'_, '_, 'm> {
    /// What a type is in memory: `count` equal elements without gaps. `None` for other types.
    fn elements(&self, ty: Type<'m>) -> Option<(Type<'m>, u32)> {
        let (element, count) = match ty.kind() {
            TypeKind::Vector => (ty.element()?, ty.length() as u32),
            TypeKind::Struct | TypeKind::Array => return None,
            _ => (ty, 1),
        };
        let whole = match element.kind() {
            TypeKind::Integer => element.int_width().is_power_of_two() && element.int_width() >= 8,
            _ => true,
        };
        whole.then_some((element, count))
    }

    /// Can lanes be loaded and stored together? Others go one by one.
    pub(crate) fn is_simple(&self, ty: Type<'m>) -> bool {
        self.elements(ty).is_some()
    }

    /// Do lanes side by side by this stride have their values side by side, or nearly so?
    pub(crate) fn is_dense(&self, ty: Type<'m>, stride: i64) -> bool {
        let Some((element, count)) = self.elements(ty) else { return false };
        let bytes = (self.e.module.size_of(element) * u64::from(count)) as i64;
        stride == bytes || (count == 1 && (2..=4).any(|factor| stride == factor * bytes))
    }

    /// Loads; gives the leaves, or the value in one. Lanes outside the mask have anything.
    pub(crate) fn load(
        &self,
        Loaded { ty, in_one }: Loaded<'m>,
        address: Address<'m>,
        mask: Option<Value<'m>>,
        align: u32,
    ) -> Result<Vec<Value<'m>>, Failure> {
        if in_one {
            return Ok(vec![self.load_in_one(ty, address, mask, align)?]);
        }
        let b = self.b;
        let Some((element, count)) = self.elements(ty) else { return failure("a load of a compound value") };
        let bytes = self.e.module.size_of(element);
        match address {
            Address::One(pointer) => {
                let value = b.load(ty, pointer, align);
                Ok(take_apart(b, value)?.into_iter().map(|leaf| self.splat(leaf)).collect())
            }
            Address::Steps(first, stride) => {
                let length = u64::from(count) * u64::from(self.lanes);
                if stride == (bytes * u64::from(count)) as i64 && length <= LONGEST {
                    if let Some(wide) = self.words_side_by_side(element, count) {
                        let words = match mask {
                            None => b.load(wide, first, align.max(1)),
                            Some(mask) => self.masked_load(wide, first, mask, align),
                        };
                        return Ok(self.parts_of(words, element, count));
                    }
                    let wide = element.vector(length as u32);
                    let all = match mask {
                        None => b.load(wide, first, align.min(bytes as u32).max(1)),
                        Some(mask) => self.masked_load(wide, first, self.repeat(mask, count), align.min(bytes as u32)),
                    };
                    return Ok(deinterleave(b, all, count, self.lanes));
                }
                let factor = stride / (bytes as i64).max(1);
                if mask.is_none() && count == 1 && (2..=4).contains(&factor) && stride == factor * bytes as i64 {
                    // What lies between is on the same pages; nothing behind the last lane is touched.
                    let last = (self.lanes - 1) * factor as u32 + 1;
                    let all = b.load(element.vector(last), first, align.min(bytes as u32).max(1));
                    let picked: Vec<_> = (0..self.lanes).map(|lane| Some(lane * factor as u32)).collect();
                    return Ok(vec![b.shuffle(all, all.ty().poison(), &picked)]);
                }
                let gather = || self.gather(element, count, self.steps_from(first, stride), mask, align);
                if self.walks(ty) {
                    return self.walk_load(element, first, stride, mask, align, gather);
                }
                gather()
            }
            Address::Each(pointers) => self.gather(element, count, pointers, mask, align),
        }
    }

    /// Stores leaves, or a value in one. Where lanes share a place, the last one wins.
    pub(crate) fn store(
        &self,
        ty: Type<'m>,
        leaves: &[Value<'m>],
        address: Address<'m>,
        mask: Option<Value<'m>>,
        align: u32,
    ) -> Result<(), Failure> {
        let b = self.b;
        let Some((element, count)) = self.elements(ty) else { return failure("a store of a compound value") };
        let bytes = self.e.module.size_of(element);
        if self.is_unsplit(ty, leaves) {
            if let Address::Steps(first, stride) = address
                && stride == (bytes * u64::from(count)) as i64
            {
                self.store_in_one(leaves[0], first, mask, align);
                return Ok(());
            }
            return self.store(ty, &self.split(ty, leaves.to_vec()), address, mask, align);
        }
        let pointers = match address {
            Address::One(pointer) => {
                let lane = self.last_lane(mask);
                let mut parts = leaves.iter().map(|leaf| b.extract_element(*leaf, lane));
                let value = crate::emit::vector::put_together(b, ty, &mut parts)?;
                b.store(value, pointer, align);
                return Ok(());
            }
            Address::Steps(first, stride) => {
                let length = u64::from(count) * u64::from(self.lanes);
                if stride == (bytes * u64::from(count)) as i64 && length <= LONGEST {
                    if let Some(wide) = self.words_side_by_side(element, count) {
                        let words = self.word_from(leaves, wide);
                        match mask {
                            None => {
                                b.store(words, first, align.max(1));
                            }
                            Some(mask) => self.masked_store(words, first, mask, align),
                        }
                        return Ok(());
                    }
                    let all = interleave(b, leaves);
                    match mask {
                        None => {
                            b.store(all, first, align.min(bytes as u32).max(1));
                        }
                        Some(mask) => self.masked_store(all, first, self.repeat(mask, count), align.min(bytes as u32)),
                    }
                    return Ok(());
                }
                if let ([leaf], true) = (leaves, self.walks(ty)) {
                    let scatter = || self.scatter_all(leaves, self.steps_from(first, stride), mask, align);
                    return self.walk_store(*leaf, first, stride, mask, align, scatter);
                }
                self.steps_from(first, stride)
            }
            Address::Each(pointers) => pointers,
        };
        self.scatter_all(leaves, pointers, mask, align)
    }

    /// Each lane's leaves at a place of its own.
    fn scatter_all(
        &self,
        leaves: &[Value<'m>],
        pointers: Value<'m>,
        mask: Option<Value<'m>>,
        align: u32,
    ) -> Result<(), Failure> {
        let bytes = leaves.first().map_or(0, |leaf| self.e.module.size_of(leaf.ty().scalar()));
        if self.scatter_words(leaves, pointers, mask, align) {
            return Ok(());
        }
        if let Some(mask) = mask.filter(|_| bytes < GATHERED) {
            return self.narrow_scatter(leaves, pointers, mask, align);
        }
        for (index, leaf) in (0..).zip(leaves) {
            let at = self.moved(pointers, u64::from(index as u32) * bytes);
            self.scatter(*leaf, at, mask, leaf_align(align, u64::from(index as u32) * bytes));
        }
        Ok(())
    }

    /// The number of the last lane in the mask.
    fn last_lane(&self, mask: Option<Value<'m>>) -> Value<'m> {
        let b = self.b;
        let i64_type = b.context().int_type(64);
        let last = i64_type.const_int(u64::from(self.lanes) - 1);
        let Some(mask) = mask else { return last };
        let bits = self.bits(mask);
        let Some(count) = self.e.module.intrinsic("llvm.ctlz", &[bits.ty()]) else { return last };
        let zeros = b.call(count, &[bits, b.context().int_type(1).const_int(1)]);
        b.sub(last, if self.lanes < 64 { b.zext(zeros, i64_type) } else { zeros })
    }

    fn gather(
        &self,
        element: Type<'m>,
        count: u32,
        pointers: Value<'m>,
        mask: Option<Value<'m>>,
        align: u32,
    ) -> Result<Vec<Value<'m>>, Failure> {
        let bytes = self.e.module.size_of(element);
        if let Some(leaves) = self.gather_words(element, count, pointers, mask, align)? {
            return Ok(leaves);
        }
        if let Some(mask) = mask.filter(|_| bytes < GATHERED) {
            return self.narrow_gather(element, count, pointers, mask, align);
        }
        let wide = element.vector(self.lanes);
        let Some(intrinsic) = self.e.module.intrinsic("llvm.masked.gather", &[wide, pointers.ty()]) else {
            return failure("LLVM has no gather");
        };
        let mask = self.full(mask);
        let leaf = |index: u32| {
            let offset = u64::from(index) * bytes;
            let call = self.b.call(intrinsic, &[self.moved(pointers, offset), mask, wide.poison()]);
            self.align(call, 0, leaf_align(align, offset));
            call
        };
        Ok((0..count).map(leaf).collect())
    }

    /// Gathers what machines do not: in a loop, where LLVM would write a branch for each lane.
    fn narrow_gather(
        &self,
        element: Type<'m>,
        count: u32,
        pointers: Value<'m>,
        mask: Value<'m>,
        align: u32,
    ) -> Result<Vec<Value<'m>>, Failure> {
        let bytes = self.e.module.size_of(element);
        let stored = self.in_memory(pointers);
        self.each_lane(Some(mask), &vec![element.vector(self.lanes); count as usize], |widener, lane| {
            let first = widener.lane_of(stored, lane);
            let each = (0..u64::from(count)).map(|index| {
                let place = widener.byte_on(first, index * bytes);
                widener.b.load(element, place, leaf_align(align, index * bytes))
            });
            Ok(each.collect())
        })
    }

    /// Scatters likewise.
    fn narrow_scatter(
        &self,
        leaves: &[Value<'m>],
        pointers: Value<'m>,
        mask: Value<'m>,
        align: u32,
    ) -> Result<(), Failure> {
        let (stored, values) =
            (self.in_memory(pointers), leaves.iter().map(|leaf| self.in_memory(*leaf)).collect::<Vec<_>>());
        self.each_lane(Some(mask), &[], |widener, lane| {
            let first = widener.lane_of(stored, lane);
            for (index, (value, leaf)) in (0u64..).zip(values.iter().zip(leaves)) {
                let offset = index * widener.e.module.size_of(leaf.ty().scalar());
                let place = widener.byte_on(first, offset);
                widener.b.store(widener.lane_of(*value, lane), place, leaf_align(align, offset));
            }
            Ok(Vec::new())
        })?;
        Ok(())
    }

    fn byte_on(&self, pointer: Value<'m>, bytes: u64) -> Value<'m> {
        let b = self.b;
        match bytes {
            0 => pointer,
            _ => b.gep(b.context().int_type(8), pointer, &[b.context().int_type(64).const_int(bytes)], GepFlags::NONE),
        }
    }

    pub(crate) fn scatter(&self, value: Value<'m>, pointers: Value<'m>, mask: Option<Value<'m>>, align: u32) {
        let Some(intrinsic) = self.e.module.intrinsic("llvm.masked.scatter", &[value.ty(), pointers.ty()]) else {
            return;
        };
        let call = self.b.call(intrinsic, &[value, pointers, self.full(mask)]);
        self.align(call, 1, align);
    }

    pub(crate) fn masked_load(&self, wide: Type<'m>, pointer: Value<'m>, mask: Value<'m>, align: u32) -> Value<'m> {
        match self.e.module.intrinsic("llvm.masked.load", &[wide, pointer.ty()]) {
            Some(intrinsic) => {
                let call = self.b.call(intrinsic, &[pointer, mask, wide.poison()]);
                self.align(call, 0, align);
                call
            }
            None => wide.poison(),
        }
    }

    pub(crate) fn masked_store(&self, value: Value<'m>, pointer: Value<'m>, mask: Value<'m>, align: u32) {
        if let Some(intrinsic) = self.e.module.intrinsic("llvm.masked.store", &[value.ty(), pointer.ty()]) {
            let call = self.b.call(intrinsic, &[value, pointer, mask]);
            self.align(call, 1, align);
        }
    }

    pub(crate) fn align(&self, call: Value<'m>, parameter: u32, align: u32) {
        if let Some(attribute) = self.b.context().attribute("align", u64::from(align.max(1))) {
            call.add_attribute(Place::Parameter(parameter), attribute);
        }
    }

    /// Each lane's bit, or number, `count` times in a row.
    pub(crate) fn repeat(&self, mask: Value<'m>, count: u32) -> Value<'m> {
        if count == 1 {
            return mask;
        }
        let order: Vec<_> = (0..self.lanes * count).map(|i| Some(i / count)).collect();
        self.b.shuffle(mask, mask.ty().poison(), &order)
    }

    /// Pointers some bytes on.
    pub(crate) fn moved(&self, pointers: Value<'m>, bytes: u64) -> Value<'m> {
        if bytes == 0 {
            return pointers;
        }
        let b = self.b;
        let offset = b.context().int_type(64).const_int(bytes);
        b.gep(b.context().int_type(8), pointers, &[self.splat(offset)], GepFlags::NONE)
    }
}

/// The alignment of what lies some bytes behind an aligned place.
pub(crate) fn leaf_align(align: u32, offset: u64) -> u32 {
    let align = align.max(1);
    if offset == 0 { align } else { align.min(1 << offset.trailing_zeros().min(30)) }
}
