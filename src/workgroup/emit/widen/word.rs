//! What lanes gather and scatter, in words of the sizes that machines have instructions for: the numbers of a small vector
//! together, a narrower number by way of the aligned word of 32 bits that it lies in, and three bytes or a number that is not
//! aligned by way of the two that they may lie in. A word that holds a byte of an object lies on the same page, so that reading
//! it does no harm; only the object's own bits are looked at.

use oxicl_llvm::{Opcode, Type, TypeKind, Value};
use oxicl_protocol::Decision;

use crate::analyse::leaves::word_of;
use crate::emit::vector::deinterleave;
use crate::emit::widen::access::leaf_align as align_at;
use crate::emit::widen::piece::Widener;
use crate::failure::{Failure, failure};
use crate::switches::Subject;

/// Bytes of the word that a narrow number lies in.
const WORD: u64 = 4;

/// Are so many elements, which are less than a word together and may lie across the end of one, gathered as parts of two words?
fn is_across_words(bytes: u64, count: u64, align: u64) -> bool {
    bytes * count < WORD && (count > 2 || align < bytes)
}

impl<'m> Widener<'_, '_, 'm> {
    /// Does the machine gather, and may it do so by words?
    fn takes_words(&self) -> bool {
        self.e.plan.gathers() && self.function.allows(Decision::Words, Subject::Function)
    }

    /// Gathers `count` elements a lane by way of words. `None` where that is no way: without gathers, for whole words
    /// that are not aligned, and for less than a word in private memory, whose objects LLVM knows the end of.
    pub(crate) fn gather_words(
        &self,
        element: Type<'m>,
        count: u32,
        pointers: Value<'m>,
        mask: Option<Value<'m>>,
        align: u32,
    ) -> Result<Option<Vec<Value<'m>>>, Failure> {
        let bytes = self.e.module.size_of(element);
        if !self.takes_words() {
            return Ok(None);
        }
        if let Some(word) = word_of(bytes, u64::from(count)) {
            let mut leaves = Vec::with_capacity(count as usize);
            for number in 0..bytes * u64::from(count) / word {
                let offset = number * word;
                let words = self.gather_word(word, self.moved(pointers, offset), mask, align_at(align, offset))?;
                leaves.extend(
                    self.halves_of(words, element)
                        .unwrap_or_else(|| self.parts_of(words, element, (word / bytes) as u32)),
                );
            }
            return Ok(Some(leaves));
        }
        let across = is_across_words(bytes, u64::from(count), align.into());
        if !across && (bytes >= WORD || u64::from(align) < bytes) {
            return Ok(None);
        }
        if pointers.ty().scalar().address_space() == 0 {
            return Ok(None);
        }
        if across {
            return self.gather_across(element, count, pointers, mask, align).map(Some);
        }
        let mut leaves = Vec::with_capacity(count as usize);
        for index in 0..u64::from(count) {
            let (words, shift) = self.word_at(self.moved(pointers, index * bytes))?;
            leaves.push(self.part_of(self.gather_word(WORD, words, mask, WORD as u32)?, shift, element));
        }
        Ok(Some(leaves))
    }

    /// Gathers elements that are less than a word together: from the words that the first and the last byte lie in, which are
    /// often the same.
    fn gather_across(
        &self,
        element: Type<'m>,
        count: u32,
        pointers: Value<'m>,
        mask: Option<Value<'m>>,
        align: u32,
    ) -> Result<Vec<Value<'m>>, Failure> {
        if u64::from(align) >= WORD {
            let words = self.gather_word(WORD, pointers, mask, align)?;
            return Ok(self.parts_of(words, element, count));
        }
        let bytes = self.e.module.size_of(element) * u64::from(count);
        let (first, shift) = self.word_at(pointers)?;
        let (last, _) = self.word_at(self.moved(pointers, bytes - 1))?;
        let low = self.gather_word(WORD, first, mask, WORD as u32)?;
        let high = self.gather_word(WORD, last, mask, WORD as u32)?;
        let Some(shifted) = self.e.module.intrinsic("llvm.fshr", &[low.ty()]) else {
            return failure("LLVM has no shift of two words");
        };
        let words = self.b.call(shifted, &[high, low, shift]);
        Ok(self.parts_of(words, element, count))
    }

    /// The address of the aligned word that the byte at each pointer lies in, and how many bits up it lies there.
    fn word_at(&self, pointers: Value<'m>) -> Result<(Value<'m>, Value<'m>), Failure> {
        let (b, i64_type) = (self.b, self.b.context().int_type(64));
        let i32_type = b.context().int_type(32);
        let Some(to_word) = self.e.module.intrinsic("llvm.ptrmask", &[pointers.ty(), self.vector(i64_type)]) else {
            return failure("LLVM has no mask of pointers");
        };
        let words = b.call(to_word, &[pointers, self.splat(i64_type.const_signed(-(WORD as i64)))]);
        let number = b.cast(Opcode::PtrToInt, pointers, self.vector(i64_type));
        let number = b.cast(Opcode::Trunc, number, self.vector(i32_type));
        let within = b.and(number, self.splat(i32_type.const_int(WORD - 1)));
        Ok((words, b.shl(within, self.splat(i32_type.const_int(3)))))
    }

    fn gather_word(
        &self,
        bytes: u64,
        pointers: Value<'m>,
        mask: Option<Value<'m>>,
        align: u32,
    ) -> Result<Value<'m>, Failure> {
        let wide = self.vector(self.b.context().int_type(8 * bytes as u32));
        let Some(intrinsic) = self.e.module.intrinsic("llvm.masked.gather", &[wide, pointers.ty()]) else {
            return failure("LLVM has no gather");
        };
        let call = self.b.call(intrinsic, &[pointers, self.full(mask), wide.poison()]);
        self.align(call, 0, align);
        Ok(call)
    }

    /// The element that lies so many bits up in each word.
    fn part_of(&self, words: Value<'m>, shift: Value<'m>, element: Type<'m>) -> Value<'m> {
        let b = self.b;
        let bits = b.context().int_type(8 * self.e.module.size_of(element) as u32);
        let part = b.cast(Opcode::Trunc, b.lshr(words, shift), self.vector(bits));
        if element.kind() == TypeKind::Integer { part } else { b.bit_cast(part, self.vector(element)) }
    }

    /// Scatters leaves that fill whole words; false where they do not.
    pub(crate) fn scatter_words(
        &self,
        leaves: &[Value<'m>],
        pointers: Value<'m>,
        mask: Option<Value<'m>>,
        align: u32,
    ) -> bool {
        let Some(element) = leaves.first().map(|leaf| leaf.ty().scalar()) else { return false };
        let bytes = self.e.module.size_of(element);
        let Some(word) = word_of(bytes, leaves.len() as u64).filter(|_| self.takes_words()) else { return false };
        let wide = self.vector(self.b.context().int_type(8 * word as u32));
        for (number, parts) in (0u64..).zip(leaves.chunks((word / bytes) as usize)) {
            let offset = number * word;
            let words = self.word_from(parts, wide);
            self.scatter(words, self.moved(pointers, offset), mask, align_at(align, offset));
        }
        true
    }

    /// The vector of words that the leaves, which fill them, make. Parts of a vector that nobody needs may be none,
    /// which must not make the others none.
    pub(crate) fn word_from(&self, leaves: &[Value<'m>], wide: Type<'m>) -> Value<'m> {
        let b = self.b;
        let mut words = wide.zero();
        let mut shift = 0;
        for leaf in leaves {
            let width = 8 * self.e.module.size_of(leaf.ty().scalar());
            let bits = b.bit_cast(b.freeze(*leaf), self.vector(b.context().int_type(width as u32)));
            let up = self.splat(wide.scalar().const_int(shift));
            words = b.or(words, b.shl(b.cast(Opcode::ZExt, bits, wide), up));
            shift += width;
        }
        words
    }

    /// The elements that fill each word.
    pub(crate) fn parts_of(&self, words: Value<'m>, element: Type<'m>, count: u32) -> Vec<Value<'m>> {
        let bits = 8 * self.e.module.size_of(element);
        let shift = |index: u64| self.splat(words.ty().scalar().const_int(index * bits));
        (0..u64::from(count)).map(|index| self.part_of(words, shift(index), element)).collect()
    }

    /// The two elements that fill each word, by a shuffle each; `None` where machines have none for them.
    fn halves_of(&self, words: Value<'m>, element: Type<'m>) -> Option<Vec<Value<'m>>> {
        let bytes = self.e.module.size_of(element);
        let halves = bytes >= WORD && words.ty().scalar().int_width() == 16 * bytes as u32;
        halves.then(|| deinterleave(self.b, self.b.bit_cast(words, element.vector(2 * self.lanes)), 2, self.lanes))
    }

    /// The vector of words that lanes side by side have in memory, if so many narrow elements make one: taking them apart and
    /// putting them together is cheaper in registers of words than by shuffles of narrow numbers.
    pub(crate) fn words_side_by_side(&self, element: Type<'m>, count: u32) -> Option<Type<'m>> {
        let bytes = self.e.module.size_of(element);
        let fills = bytes < WORD && bytes * u64::from(count) == WORD && self.e.plan.gathers();
        fills.then(|| self.vector(self.b.context().int_type(8 * WORD as u32)))
    }
}
