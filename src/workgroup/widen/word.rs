//! Numbers narrower than what machines gather, by way of the aligned words of 32 bits that they lie in. A word that holds a
//! byte of an object lies on the same page, so that reading it does no harm; only the number's own bits are looked at.

use oxicl_llvm::{Opcode, Type, TypeKind, Value};

use crate::failure::{Failure, failure};
use crate::widen::piece::Widener;

/// Bytes of a word.
const WORD: u64 = 4;

impl<'m> Widener<'_, '_, 'm> {
    /// Gathers `count` elements a lane by way of words. `None` where that is no way: without gathers, elements across words,
    /// and in private memory, whose objects LLVM knows the end of.
    pub(crate) fn gather_words(
        &self,
        element: Type<'m>,
        count: u32,
        pointers: Value<'m>,
        mask: Option<Value<'m>>,
        align: u32,
    ) -> Result<Option<Vec<Value<'m>>>, Failure> {
        let bytes = self.e.module.size_of(element);
        let whole = u64::from(align) >= WORD && (bytes * u64::from(count)).is_multiple_of(WORD);
        if !self.e.plan.gathers() || bytes >= WORD || u64::from(align) < bytes {
            return Ok(None);
        }
        if whole {
            let mut leaves = Vec::with_capacity(count as usize);
            for word in 0..bytes * u64::from(count) / WORD {
                let word = self.gather_word(self.moved(pointers, word * WORD), mask)?;
                for part in 0..WORD / bytes {
                    leaves.push(self.part_of(
                        word,
                        self.splat(word.ty().scalar().const_int(part * bytes * 8)),
                        element,
                    ));
                }
            }
            return Ok(Some(leaves));
        }
        if pointers.ty().scalar().address_space() == 0 {
            return Ok(None);
        }
        let (b, i64_type) = (self.b, self.b.context().int_type(64));
        let i32_type = b.context().int_type(32);
        let Some(to_word) = self.e.module.intrinsic("llvm.ptrmask", &[pointers.ty(), self.vector(i64_type)]) else {
            return failure("LLVM has no mask of pointers");
        };
        let mut leaves = Vec::with_capacity(count as usize);
        for index in 0..u64::from(count) {
            let places = self.moved(pointers, index * bytes);
            let words = b.call(to_word, &[places, self.splat(i64_type.const_signed(-(WORD as i64)))]);
            let number = b.cast(Opcode::PtrToInt, places, self.vector(i64_type));
            let number = b.cast(Opcode::Trunc, number, self.vector(i32_type));
            let within = b.and(number, self.splat(i32_type.const_int(WORD - 1)));
            let shift = b.shl(within, self.splat(i32_type.const_int(3)));
            leaves.push(self.part_of(self.gather_word(words, mask)?, shift, element));
        }
        Ok(Some(leaves))
    }

    fn gather_word(&self, pointers: Value<'m>, mask: Option<Value<'m>>) -> Result<Value<'m>, Failure> {
        let wide = self.vector(self.b.context().int_type(32));
        let Some(intrinsic) = self.e.module.intrinsic("llvm.masked.gather", &[wide, pointers.ty()]) else {
            return failure("LLVM has no gather");
        };
        let call = self.b.call(intrinsic, &[pointers, self.full(mask), wide.poison()]);
        self.align(call, 0, WORD as u32);
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
        let (b, i32_type) = (self.b, self.b.context().int_type(32));
        let Some(element) = leaves.first().map(|leaf| leaf.ty().scalar()) else { return false };
        let bytes = self.e.module.size_of(element);
        let whole = u64::from(align) >= WORD && (bytes * leaves.len() as u64).is_multiple_of(WORD);
        if !self.e.plan.gathers() || bytes >= WORD || !whole {
            return false;
        }
        for (number, parts) in (0u64..).zip(leaves.chunks((WORD / bytes) as usize)) {
            let mut word = self.vector(i32_type).zero();
            for (index, part) in (0u64..).zip(parts) {
                let bits = b.bit_cast(*part, self.vector(b.context().int_type(8 * bytes as u32)));
                let wide = b.cast(Opcode::ZExt, bits, self.vector(i32_type));
                word = b.or(word, b.shl(wide, self.splat(i32_type.const_int(8 * bytes * index))));
            }
            self.scatter(word, self.moved(pointers, number * WORD), mask, WORD as u32);
        }
        true
    }
}
