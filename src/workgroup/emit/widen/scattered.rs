//! Gathers and scatters, of single elements or of words in the sizes that machines have instructions for.

use oxicl_llvm::{Opcode, Type, TypeKind, Value};

use crate::emit::transpose::deinterleave;
use crate::emit::widen::access::Lanes;
use crate::emit::widen::region::Widener;
use crate::failure::Result;
use crate::recipe::{Elements, Scattered, WORD};

const GATHER: &str = "llvm.masked.gather";
const SCATTER: &str = "llvm.masked.scatter";

impl<'m> Widener<'_, '_, 'm> {
    /// Loads each lane's elements from a place of its own.
    pub(crate) fn gather(&self, lanes: Lanes<'m>, scattered: Scattered) -> Result<Vec<Value<'m>>> {
        let Lanes { request, at: pointers, mask } = lanes;
        let (Elements { bytes, count, .. }, align) = (request.elements, request.align);
        let element = self.element_type(request);
        let mut components = Vec::with_capacity(count as usize);
        let gathered = |wide, offset| {
            let at = self.moved(pointers, offset);
            self.load_by(GATHER, wide, at, self.full(mask), component_align(align, offset))
        };
        match scattered {
            Scattered::ByLane => return Ok(self.gather_by_lane(lanes, None)),
            Scattered::Words(word) => {
                let wide = self.vector(self.b.context().int_type(8 * word as u32));
                if request.is_word(word) {
                    return Ok(vec![self.b.bit_cast(gathered(wide, 0)?, element.vector(count * self.lanes))]);
                }
                for offset in (0..request.elements.all_bytes()).step_by(word as usize) {
                    let words = gathered(wide, offset)?;
                    let halves = self.halves_of(words, element);
                    components.extend(halves.unwrap_or_else(|| self.parts_of(words, element, (word / bytes) as u32)));
                }
            }
            Scattered::Elements => {
                for index in 0..u64::from(count) {
                    components.push(gathered(self.vector(element), index * bytes)?);
                }
            }
        }
        Ok(components)
    }

    /// Stores each lane's components to a place of its own.
    pub(crate) fn scatter(&self, lanes: Lanes<'m>, scattered: Scattered, components: &[Value<'m>]) -> Result<()> {
        let Lanes { request, at: pointers, mask } = lanes;
        let (bytes, align) = (request.elements.bytes, request.align);
        let scattered_to = |value, offset| {
            let at = self.moved(pointers, offset);
            self.store_by(SCATTER, value, at, self.full(mask), component_align(align, offset))
        };
        match scattered {
            Scattered::ByLane => self.scatter_by_lane(lanes, None, components),
            Scattered::Words(word) => {
                let wide = self.vector(self.b.context().int_type(8 * word as u32));
                if let (true, [all]) = (request.is_word(word), components) {
                    return scattered_to(self.b.bit_cast(*all, wide), 0);
                }
                for (number, parts) in (0..).zip(components.chunks((word / bytes) as usize)) {
                    scattered_to(self.word_from(parts, wide), number * word)?;
                }
            }
            Scattered::Elements => {
                for (index, component) in (0..).zip(components) {
                    scattered_to(*component, index * bytes)?;
                }
            }
        }
        Ok(())
    }

    /// The element that begins at bit `shift` of each word.
    fn part_of(&self, words: Value<'m>, shift: Value<'m>, element: Type<'m>) -> Value<'m> {
        let b = self.b;
        let bits = b.context().int_type(8 * self.e.module.size_of(element) as u32);
        let part = b.cast(Opcode::Trunc, b.lshr(words, shift), self.vector(bits));
        if element.kind() == TypeKind::Integer { part } else { b.bit_cast(part, self.vector(element)) }
    }

    /// The vector of words that the components fill, frozen: an unused poison component must not spoil the others.
    pub(crate) fn word_from(&self, components: &[Value<'m>], wide: Type<'m>) -> Value<'m> {
        let b = self.b;
        let mut words = wide.zero();
        let mut shift = 0;
        for component in components {
            let width = 8 * self.e.module.size_of(component.ty().scalar());
            let bits = b.bit_cast(b.freeze(*component), self.vector(b.context().int_type(width as u32)));
            let up = self.splat(wide.scalar().const_int(shift));
            words = b.or(words, b.shl(b.cast(Opcode::ZExt, bits, wide), up));
            shift += width;
        }
        words
    }

    /// The `count` elements that fill each word.
    pub(crate) fn parts_of(&self, words: Value<'m>, element: Type<'m>, count: u32) -> Vec<Value<'m>> {
        let bits = 8 * self.e.module.size_of(element);
        let shift = |index: u64| self.splat(words.ty().scalar().const_int(index * bits));
        (0..u64::from(count)).map(|index| self.part_of(words, shift(index), element)).collect()
    }

    /// The two elements that fill each word, by one shuffle each; `None` where machines have no such shuffle.
    fn halves_of(&self, words: Value<'m>, element: Type<'m>) -> Option<Vec<Value<'m>>> {
        let bytes = self.e.module.size_of(element);
        let halves = bytes >= WORD && words.ty().scalar().int_width() == 16 * bytes as u32;
        halves.then(|| {
            deinterleave(
                self.b,
                self.recipes.vectors,
                self.b.bit_cast(words, element.vector(2 * self.lanes)),
                2,
                self.lanes,
            )
        })
    }
}

/// The alignment of a place `offset` bytes behind one of alignment `align`.
pub(super) fn component_align(align: u32, offset: u64) -> u32 {
    let align = align.max(1);
    if offset == 0 { align } else { align.min(1 << offset.trailing_zeros().min(30)) }
}
