//! Between SoA and AoS: by which shuffles vectors of lanes, one for each element of the lanes' values, become the elements of
//! one lane after the other, and the reverse.

use oxicl_target::{Ability, Vectors};

use crate::prices::Access;

/// How lanes' values are transposed.
pub(crate) enum Transposition {
    /// By registers that are unpacked in pairs.
    Unpacked(Unpacking),
    /// Every other element by itself, and both halves together.
    ByHalves,
    /// By shuffles that pick from all elements, which LLVM chooses.
    Picked,
}

impl Transposition {
    /// The one that takes least for numbers of so many bits, `count` for each lane: for a store, to AoS, and for a load,
    /// from AoS.
    pub(crate) fn of(access: Access, machine: Vectors, bits: u32, lanes: u32, count: u32) -> Transposition {
        let is_long = lanes * bits >= 512;
        let halves_pay = match access {
            Access::Store => count >= 8 && is_long,
            // Permutes of AVX-512 pick from two registers at once, which pays where numbers fill more than one. Without
            // them, halves take two thirds of the instructions for four numbers of 16 bits. (Bytes are mostly extended,
            // which the shuffle does that picks them.)
            Access::Load if machine.can(Ability::Permute) => count >= 4 && is_long,
            Access::Load => count >= 4 && bits == 16,
        };
        match Unpacking::of(machine, bits, lanes, count) {
            Some(unpacking) => Transposition::Unpacked(unpacking),
            None if halves_pay && count.is_power_of_two() => Transposition::ByHalves,
            None => Transposition::Picked,
        }
    }
}

/// How lanes' values of whole 128 bits are transposed on machines that shuffle quickly only within 128 bits: registers
/// that have 128 bits of one lane, or of each of two, are unpacked in pairs until each has one element of all lanes. (LLVM
/// by itself finds shuffles that take two to six times as long for AVX2.)
#[derive(Clone, Copy)]
pub(crate) struct Unpacking {
    pub(crate) lanes: u32,
    /// Elements of a lane.
    pub(crate) count: u32,
    /// Elements of 128 bits, and as many registers that are unpacked together.
    pub(crate) part: u32,
    /// Parts of a register: two, of which the second has the lanes `part` further on, or one.
    pub(crate) parts: u32,
}

impl Unpacking {
    /// For numbers of so many bits. `None` where other shuffles are as good, and for AArch64, which has loads and stores of
    /// up to four elements.
    fn of(machine: Vectors, bits: u32, lanes: u32, count: u32) -> Option<Unpacking> {
        let part = 128 / bits;
        let parts = if machine.bits >= 256 && lanes >= 2 * part { 2 } else { 1 };
        let shuffles_within = machine.can(Ability::ShuffleBytes) && !machine.can(Ability::Permute);
        let is_whole = part.is_power_of_two() && count.is_multiple_of(part) && lanes.is_multiple_of(parts * part);
        (shuffles_within && count >= 4 && is_whole).then_some(Unpacking { lanes, count, part, parts })
    }

    /// The elements of a register, by lane and number of 128 bits: the same of each lane.
    pub(crate) fn places(self, lane: u32, number: u32) -> impl Iterator<Item = u32> {
        let Unpacking { count, part, parts, .. } = self;
        (0..parts).flat_map(move |half| (0..part).map(move |i| (lane + half * part) * count + number * part + i))
    }

    /// For the lanes that are unpacked together, the first one; and for each, which 128 bits of their values.
    pub(crate) fn squares(self) -> impl Iterator<Item = (u32, u32)> {
        let first = (0..self.lanes).step_by((self.parts * self.part) as usize);
        first.flat_map(move |lane| (0..self.count / self.part).map(move |number| (lane, number)))
    }

    /// How many shuffles of one register this takes: to put two parts together or apart, and to unpack.
    pub(super) fn shuffles(self) -> u32 {
        self.squares().count() as u32 * self.part * (self.parts - 1 + self.part.ilog2())
    }
}
