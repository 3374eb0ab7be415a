//! Between SoA and AoS: vectors of lanes, one for each element of their values, are interleaved to the elements of one
//! lane after the other, and the reverse, by the shuffles that [`Transposition`] chooses.

use oxicl_llvm::{Builder, Type, Value};
use oxicl_target::Vectors;

use crate::emit::vector::{concatenate, elements, picked, shuffled};
use crate::ir::{Scalar, type_of};
use crate::prices::Access;
use crate::recipe::{Transposition, Unpacking};

/// Bits of a number or pointer.
fn bits(number: Type<'_>) -> u32 {
    type_of(number).scalar().map_or(64, Scalar::bits)
}

impl Unpacking {
    /// Transposes the squares in each part of as many registers as a part has elements. Each step takes the highest bit
    /// of an element's place in its part into the register's number, and a bit of that, as the lowest one, in turn.
    fn unpack<'m>(self, b: &Builder<'m>, mut registers: Vec<Value<'m>>) -> Vec<Value<'m>> {
        let Unpacking { part, parts, .. } = self;
        let of = |[low, high]: [Value<'m>; 2], from: u32| {
            let places = (0..parts).flat_map(|half| (0..part / 2).map(move |i| half * part + from + i));
            shuffled(b, [low, high], places.flat_map(|place| [place, parts * part + place]))
        };
        let mut distance = registers.len() / 2;
        while distance > 0 {
            for number in (0..registers.len()).filter(|number| number & distance == 0) {
                let pair = [registers[number], registers[number + distance]];
                (registers[number], registers[number + distance]) = (of(pair, 0), of(pair, part / 2));
            }
            distance /= 2;
        }
        registers
    }

    fn interleave<'m>(self, b: &Builder<'m>, vectors: &[Value<'m>]) -> Value<'m> {
        let Unpacking { lanes, count, part, parts } = self;
        let mut registers = Vec::with_capacity((count * lanes / part) as usize);
        let mut places = vec![0; (count * lanes) as usize];
        for (lane, number) in self.squares() {
            let of_elements = vectors.iter().skip((number * part) as usize).take(part as usize);
            let square = of_elements.map(|vector| elements(b, *vector, lane, parts * part)).collect();
            for (from, register) in (lane..).zip(self.unpack(b, square)) {
                let at = parts * part * registers.len() as u32;
                self.places(from, number).zip(at..).for_each(|(place, at)| places[place as usize] = at);
                registers.push(register);
            }
        }
        picked(b, concatenate(b, registers), places)
    }

    fn deinterleave<'m>(self, b: &Builder<'m>, all: Value<'m>) -> Vec<Value<'m>> {
        let Unpacking { count, part, .. } = self;
        let mut vectors = vec![Vec::new(); count as usize];
        for (lane, number) in self.squares() {
            let square = (lane..lane + part).map(|lane| picked(b, all, self.places(lane, number))).collect();
            for (element, register) in (number * part..).zip(self.unpack(b, square)) {
                vectors[element as usize].push(register);
            }
        }
        vectors.into_iter().map(|parts| concatenate(b, parts)).collect()
    }
}

/// Interleaves vectors of lanes, one for each element, to AoS order: all elements of the first lane, then the second's.
pub(crate) fn interleave<'m>(b: &Builder<'m>, machine: Vectors, vectors: &[Value<'m>]) -> Value<'m> {
    let [first, ..] = vectors else { unreachable!("no vector at all") };
    let (lanes, count) = (first.ty().length() as u32, vectors.len() as u32);
    if count == 1 {
        return *first;
    }
    match Transposition::of(Access::Store, machine, bits(first.ty().scalar()), lanes, count) {
        Transposition::Unpacked(unpacking) => unpacking.interleave(b, vectors),
        Transposition::ByHalves => {
            let every_other = |from: usize| vectors.iter().skip(from).step_by(2).copied().collect::<Vec<_>>();
            let (even, odd) = (interleave(b, machine, &every_other(0)), interleave(b, machine, &every_other(1)));
            let half = lanes * count / 2;
            shuffled(b, [even, odd], (0..2 * half).map(|i| i % 2 * half + i / 2))
        }
        // Vectors have lengths that registers have: of shuffles that lengthen one by as much as is needed, LLVM makes phis
        // of 96 bytes, and moves each byte by itself.
        Transposition::Picked => {
            picked(b, concatenate(b, vectors.to_vec()), (0..lanes * count).map(|i| i % count * lanes + i / count))
        }
    }
}

/// The reverse of [`interleave`]: every `count`-th element goes into one vector of lanes.
pub(crate) fn deinterleave<'m>(
    b: &Builder<'m>,
    machine: Vectors,
    all: Value<'m>,
    count: u32,
    lanes: u32,
) -> Vec<Value<'m>> {
    if count == 1 && all.ty().length() as u32 == lanes {
        return vec![all];
    }
    match Transposition::of(Access::Load, machine, bits(all.ty().scalar()), lanes, count) {
        Transposition::Unpacked(unpacking) => unpacking.deinterleave(b, all),
        Transposition::ByHalves => {
            let every_other = |from: u32| picked(b, all, (0..lanes * count / 2).map(|i| 2 * i + from));
            let half = |from: u32| deinterleave(b, machine, every_other(from), count / 2, lanes);
            half(0).into_iter().zip(half(1)).flat_map(|(even, odd)| [even, odd]).collect()
        }
        Transposition::Picked => {
            (0..count).map(|index| picked(b, all, (0..lanes).map(|lane| lane * count + index))).collect()
        }
    }
}
