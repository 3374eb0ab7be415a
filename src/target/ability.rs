//! What machines can do in vector registers, by names of abilities, not of instruction sets.

use oxicl_caps::{Cpu, CpuFeature};
use serde::{Deserialize, Serialize};

/// Something that a machine may have instructions for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ability {
    /// Mask registers, and masked loads, stores and arithmetic on vectors of any length.
    Masks,
    /// Blends by the signs of other numbers, and these signs as bits of one register.
    ChooseBySign,
    /// Masks of 64 lanes in one register, also for accesses of numbers of 8 and 16 bits.
    LongMasks,
    /// Masked contiguous loads and stores of 32- and 64-bit numbers.
    MaskedWords,
    /// Masked gathers and scatters.
    Gather,
    /// Gathers that take no longer than loads of the same numbers one by one.
    FastGather,
    /// Permutes of 32-bit numbers out of one or two registers of 512 bits.
    Permute,
    /// Permutes of 8- and 16-bit numbers across a register.
    PermuteNarrow,
    /// Permutes of bytes out of one or two registers of 512 bits.
    PermuteBytes,
    /// Permutes of bytes within each 128 bits, where an index with its sign bit set gives zero.
    ShuffleBytes,
    /// Conversions of 64-bit integers to doubles, and back.
    ConvertLong,
    /// A product and a sum, rounded once.
    Fma,
    /// Fraction and exponent of a floating-point number, a product with a power of two, and estimates of reciprocal
    /// roots: what `MachineOperation` has names for.
    MachineOperations,
    /// Arithmetic in half precision. Machines without it extend to floats and round each result.
    HalfArithmetic,
}

impl Ability {
    /// Every ability.
    pub const ALL: [Ability; 14] = [
        Ability::Masks,
        Ability::ChooseBySign,
        Ability::LongMasks,
        Ability::MaskedWords,
        Ability::Gather,
        Ability::FastGather,
        Ability::Permute,
        Ability::PermuteNarrow,
        Ability::PermuteBytes,
        Ability::ShuffleBytes,
        Ability::ConvertLong,
        Ability::Fma,
        Ability::MachineOperations,
        Ability::HalfArithmetic,
    ];

    /// The features of x86-64 that an ability needs. AVX2 has gathers, but LLVM uses none without mask registers, as
    /// loads of single numbers are as fast. No feature says that gathers are fast, but the processors that have AVX-512 with
    /// half precision are those of Intel's where they are: Sapphire Rapids and later.
    const fn needs(self) -> &'static [CpuFeature] {
        use CpuFeature::{Avx, Avx512Bw, Avx512Dq, Avx512F, Avx512Fp16, Avx512Vbmi, Avx512Vl, Fma, Sse41, Ssse3};
        match self {
            Ability::Masks | Ability::Gather | Ability::MachineOperations => &[Avx512F, Avx512Vl],
            Ability::FastGather | Ability::HalfArithmetic => &[Avx512Fp16, Avx512Vl],
            Ability::ChooseBySign => &[Sse41],
            Ability::MaskedWords => &[Avx],
            Ability::LongMasks | Ability::PermuteNarrow => &[Avx512Bw],
            Ability::Permute => &[Avx512F],
            Ability::PermuteBytes => &[Avx512Vbmi],
            Ability::ShuffleBytes => &[Ssse3],
            Ability::ConvertLong => &[Avx512Dq, Avx512Vl],
            Ability::Fma => &[Fma],
        }
    }

    const fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// Vector registers, and what is done in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Vectors {
    /// Bits of a register; 0 where gangs do not pay.
    pub bits: u32,
    /// How many registers there are.
    pub registers: u32,
    /// A bit for each ability.
    abilities: u32,
}

impl Vectors {
    /// No vectors: for code that is made quickly, or of which nobody knows where it runs.
    pub const NONE: Vectors = Vectors { bits: 0, registers: 16, abilities: 0 };

    /// Those of a processor.
    pub(crate) fn of(cpu: &Cpu) -> Vectors {
        let has = |ability: &Ability| ability.needs().iter().all(|feature| cpu.has(*feature));
        let abilities = Ability::ALL.into_iter().filter(has).fold(0, |bits, ability| bits | ability.bit());
        // Only the instructions that have masks can name the upper half.
        let registers = if has(&Ability::Masks) { 32 } else { 16 };
        Vectors { bits: cpu.vector_bytes() * 8, registers, abilities }
    }

    /// Those that every AArch64 has.
    pub(crate) fn neon() -> Vectors {
        Vectors { bits: 128, registers: 32, abilities: Ability::ConvertLong.bit() | Ability::Fma.bit() }
    }

    /// Whether there are instructions for something.
    pub fn can(self, ability: Ability) -> bool {
        self.abilities & ability.bit() != 0
    }

    /// How many bytes [`Ability::ShuffleBytes`] permutes at once: not always a register of 512 bits.
    pub fn shuffled_bytes(self) -> u32 {
        self.bits.min(if self.can(Ability::PermuteNarrow) { 512 } else { 256 }) / 8
    }

    /// How many 32-bit numbers a register holds.
    pub fn lanes(self) -> u32 {
        self.bits / 32
    }
}

#[cfg(test)]
mod tests {
    use super::{Ability, Vectors};
    use crate::Target;

    fn vectors(name: &str) -> Vectors {
        Target::named(name).expect(name).vectors
    }

    #[test]
    fn levels_have_registers_and_abilities() {
        for (name, bits, registers, abilities) in [
            ("x86-64-v2", 128, 16, 2),
            ("x86-64-v3", 256, 16, 4),
            ("x86-64-v4", 512, 32, Ability::ALL.len() - 3),
            ("x86-64-v4,+avx512vbmi", 512, 32, Ability::ALL.len() - 2),
            ("x86-64-v4,+avx512vbmi,+avx512fp16", 512, 32, Ability::ALL.len()),
            ("aarch64", 128, 32, 2),
        ] {
            let vectors = vectors(name);
            assert_eq!((vectors.bits, vectors.registers), (bits, registers), "{name}");
            assert_eq!(Ability::ALL.into_iter().filter(|ability| vectors.can(*ability)).count(), abilities, "{name}");
            assert_eq!(vectors.lanes() * 32, bits);
        }
    }

    #[test]
    fn an_ability_goes_with_its_feature_and_no_other() {
        let without = |feature: &str| {
            let vectors = vectors(&format!("x86-64-v4,+avx512vbmi,+avx512fp16,-{feature}"));
            Ability::ALL.into_iter().filter(|ability| !vectors.can(*ability)).collect::<Vec<_>>()
        };
        // Without these, LLVM takes half-precision arithmetic to be missing, too.
        let half = [Ability::FastGather, Ability::HalfArithmetic];
        assert_eq!(without("avx512fp16"), half);
        let narrow = [Ability::PermuteNarrow, Ability::PermuteBytes];
        assert_eq!(without("avx512bw"), [Ability::LongMasks, half[0], narrow[0], narrow[1], half[1]]);
        assert_eq!(without("avx512vbmi"), [Ability::PermuteBytes]);
        assert_eq!(without("avx512dq"), [Ability::ConvertLong]);
        assert_eq!(without("avx512cd"), []);
        assert_eq!(vectors("x86-64-v4,-avx512vl").registers, 16);
    }
}
