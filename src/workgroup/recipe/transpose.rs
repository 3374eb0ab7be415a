//! Between SoA and AoS: how the elements of the lanes' values are moved where LLVM's shuffles are not the best.

use oxicl_target::{Ability, Vectors};

/// How lanes' values of whole 128 bits are transposed on machines that shuffle quickly only within 128 bits: registers
/// that have 128 bits of one lane, or of each of two, are unpacked in pairs until each has one element of all lanes. (LLVM
/// by itself finds shuffles that take two to six times as long for AVX2.)
#[derive(Clone, Copy)]
pub(crate) struct Unpacking {
    lanes: u32,
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
    pub(crate) fn of(machine: Vectors, bits: u32, lanes: u32, count: u32) -> Option<Unpacking> {
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
