//! In-register look-ups: permutes pick the lanes' elements out of a constant table that registers hold. That takes a few
//! cycles for all lanes, where memory takes one or two for each.

use oxicl_llvm::{IntPredicate, Value};

use crate::analyse::idioms::table::Table;
use crate::emit::transpose::{deinterleave, interleave};
use crate::emit::vector::{concatenate, elements, resized, splat_to};
use crate::emit::widen::region::Widener;
use crate::failure::Result;
use crate::ir::Inst;
use crate::recipe::{Permutes, REGISTER};

/// Bytes of the parts that tables are loaded in.
const PART: u32 = 16;

impl<'m> Widener<'_, '_, 'm> {
    /// What lanes load from a constant table in registers.
    pub(crate) fn looked_up(&self, inst: &Inst<'m>, table: &Table, permutes: Permutes) -> Result<Value<'m>> {
        let b = self.b;
        let int = |bits: u32| self.vector(b.context().int_type(bits));
        let mut index = self.component(table.index)?;
        if table.shift > 0 {
            index = b.lshr(index, self.splat(index.ty().scalar().const_int(u64::from(table.shift))));
        }
        let wanted = if permutes == Permutes::Words { 32 } else { 8 };
        index = resized(b, index, int(wanted), false);
        let bits = 8 * table.element.size() as u32;
        let found = match permutes {
            Permutes::Words => resized(b, self.words_of(table, index)?, int(bits), false),
            Permutes::Bytes | Permutes::Sixteen => {
                let parts = self.table_by(PART, table);
                let parts: Vec<_> =
                    parts.into_iter().map(|part| deinterleave(b, self.recipes.vectors, part, bits / 8, PART)).collect();
                let of = |byte: usize| {
                    let parts: Vec<_> = parts.iter().map(|part| part[byte]).collect();
                    match permutes {
                        Permutes::Sixteen => self.bytes_of_sixteens(&parts, index),
                        _ => self.bytes_of_registers(&parts, index),
                    }
                };
                let found: Vec<_> = (0..bits as usize / 8).map(of).collect::<Result<_>>()?;
                b.bit_cast(interleave(b, self.recipes.vectors, &found), int(bits))
            }
        };
        Ok(if inst.llvm.ty().is_int() { found } else { b.bit_cast(found, self.vector(inst.llvm.ty())) })
    }

    /// The bytes of a table, by so many elements at a time; poison beyond its end.
    fn table_by(&self, count: u32, table: &Table) -> Vec<Value<'m>> {
        let (b, bytes) = (self.b, table.element.size() as u32);
        let byte = b.context().int_type(8);
        let start = self.llvm_constant(table.start);
        let part = |from: u32| {
            let here = count.min(table.count - from);
            let place = b.byte_offset(start, b.context().int_type(64).const_int(u64::from(from * bytes)));
            elements(b, b.load(byte.vector(here * bytes), place, 1), 0, count * bytes)
        };
        (0..table.count).step_by(count as usize).map(part).collect()
    }

    /// The elements at indices of 32 bits, as words.
    fn words_of(&self, table: &Table, index: Value<'m>) -> Result<Value<'m>> {
        const COUNT: u32 = REGISTER / 4;
        let (b, bits) = (self.b, 8 * table.element.size() as u32);
        let word = b.context().int_type(32);
        let words = |bytes| {
            let numbers = b.bit_cast(bytes, b.context().int_type(bits).vector(COUNT));
            resized(b, numbers, word.vector(COUNT), false)
        };
        let registers: Vec<_> = self.table_by(COUNT, table).into_iter().map(words).collect();
        self.by_parts(COUNT, index, |index| match registers[..] {
            [low, high] => self.e.call_intrinsic("llvm.x86.avx512.vpermi2var.d.512", &[], &[low, index, high]),
            _ => self.e.call_intrinsic("llvm.x86.avx512.permvar.si.512", &[], &[registers[0], index]),
        })
    }

    /// The bytes at indices of 8 bits, by permutes of two registers.
    fn bytes_of_registers(&self, parts: &[Value<'m>], index: Value<'m>) -> Result<Value<'m>> {
        let b = self.b;
        let whole = |parts: &[Value<'m>]| elements(b, concatenate(b, parts.to_vec()), 0, REGISTER);
        let registers: Vec<_> = parts.chunks((REGISTER / PART) as usize).map(whole).collect();
        self.by_parts(REGISTER, index, |index| {
            let of = |pair: &[Value<'m>]| match *pair {
                [low, high] => self.e.call_intrinsic("llvm.x86.avx512.vpermi2var.qi.512", &[], &[low, index, high]),
                _ => self.e.call_intrinsic("llvm.x86.avx512.permvar.qi.512", &[], &[pair[0], index]),
            };
            let found: Vec<_> = registers.chunks(2).map(of).collect::<Result<_>>()?;
            Ok(match found[..] {
                [low, high] => b.select(b.icmp(IntPredicate::Slt, index, index.ty().zero()), high, low),
                _ => found[0],
            })
        })
    }

    /// The bytes at indices of 8 bits, by permutes within 16 bytes. Where an index is not negative, such a permute takes
    /// its lowest four bits; else it gives zero. So the index, less 16 each time, finds a byte of its own part and of those
    /// before, and each part has what changes from the part before.
    fn bytes_of_sixteens(&self, parts: &[Value<'m>], index: Value<'m>) -> Result<Value<'m>> {
        let b = self.b;
        let register = self.lanes.next_power_of_two().clamp(PART, self.recipes.vectors.shuffled_bytes());
        let name = match register {
            PART => "llvm.x86.ssse3.pshuf.b.128",
            32 => "llvm.x86.avx2.pshuf.b",
            _ => "llvm.x86.avx512.pshuf.b.512",
        };
        let repeated: Vec<Option<u32>> = (0..register).map(|byte| Some(byte % PART)).collect();
        let byte = |number: u64| splat_to(b, b.context().int_type(8).const_int(number), register);
        self.by_parts(register, index, |index| {
            let mut found = index.ty().zero();
            // Half of all indices are not negative; then the other half.
            for (half, flipped) in parts.chunks(8).zip([0, 0x80]) {
                let mut near = b.xor(index, byte(flipped));
                let mut before = half[0].ty().zero();
                for part in half {
                    let change = b.xor(*part, before);
                    let change = b.shuffle(change, change.ty().poison(), &repeated);
                    found = b.xor(found, self.e.call_intrinsic(name, &[], &[change, near])?);
                    near = self.e.call_intrinsic("llvm.ssub.sat", &[near.ty()], &[near, byte(16)])?;
                    before = *part;
                }
            }
            Ok(found)
        })
    }

    /// A function of the lanes' indices, by so many lanes at a time.
    fn by_parts(&self, count: u32, index: Value<'m>, of: impl Fn(Value<'m>) -> Result<Value<'m>>) -> Result<Value<'m>> {
        let part = |from: u32| of(elements(self.b, index, from, count));
        let found = (0..self.lanes).step_by(count as usize).map(part).collect::<Result<_>>()?;
        Ok(elements(self.b, concatenate(self.b, found), 0, self.lanes))
    }
}
