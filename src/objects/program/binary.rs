//! Program binaries: linked SPIR-V, options and kind, never machine code. Loaded ones are checked like any module.

use std::sync::Arc;

use oxicl_caps::Switches;
use oxicl_protocol::CompileOptions;

/// What a binary is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BinaryKind {
    /// There is none.
    #[default]
    None,
    /// Compiled, to be linked.
    Object,
    /// Linked, to be linked further.
    Library,
    /// Linked, with kernels that can run.
    Executable,
}

/// A binary, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binary {
    /// Its kind.
    pub kind: BinaryKind,
    /// Options that it was built with, as the application gave them.
    pub options: String,
    /// What its code may be compiled with: for what was linked, more than the options say.
    pub compile: CompileOptions,
    /// The module.
    pub words: Arc<[u32]>,
}

/// First bytes of every binary.
const MAGIC: &[u8; 8] = b"oxicl\0\r\n";
/// Version of the format.
const VERSION: u32 = 2;

impl Binary {
    /// As the application gets it: magic, version, kind, flags, length of the options, the options, the words; all
    /// numbers with the low byte first.
    pub fn to_bytes(&self) -> Vec<u8> {
        let kind: u32 = match self.kind {
            BinaryKind::None => 0,
            BinaryKind::Object => 1,
            BinaryKind::Library => 2,
            BinaryKind::Executable => 3,
        };
        let mut bytes = MAGIC.to_vec();
        let length = u32::try_from(self.options.len()).unwrap_or(u32::MAX);
        for number in [VERSION, kind, flags(&self.compile), length] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.options.bytes().take(u32::MAX as usize));
        bytes.extend(self.words.iter().flat_map(|word| word.to_le_bytes()));
        bytes
    }

    /// Reads what an application gave; `None` if it is not a binary of ours.
    pub fn from_bytes(bytes: &[u8]) -> Option<Binary> {
        let rest = bytes.strip_prefix(MAGIC)?;
        let (numbers, rest) = rest.split_first_chunk::<16>()?;
        let (numbers, _) = numbers.as_chunks::<4>();
        let [version, kind, flags, length] = numbers else { return None };
        if u32::from_le_bytes(*version) != VERSION {
            return None;
        }
        let kind = match u32::from_le_bytes(*kind) {
            1 => BinaryKind::Object,
            2 => BinaryKind::Library,
            3 => BinaryKind::Executable,
            _ => return None,
        };
        let (options, words) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        let (words, []) = words.as_chunks::<4>() else { return None };
        Some(Binary {
            kind,
            options: str::from_utf8(options).ok()?.to_owned(),
            compile: from_flags(u32::from_le_bytes(*flags))?,
            words: words.iter().map(|word| u32::from_le_bytes(*word)).collect(),
        })
    }
}

/// Where the number of lanes stands: 0 for none asked for, else one more than its logarithm.
const LANES: u32 = 9;
/// Bits in all.
const BITS: u32 = LANES + 3;

/// One bit for each option, from the lowest on, and the lanes.
fn flags(options: &CompileOptions) -> u32 {
    let bits = [
        options.opt_disable,
        options.mad_enable,
        options.no_signed_zeros,
        options.unsafe_math,
        options.finite_math,
        options.fast_relaxed_math,
        options.denorms_are_zero,
        options.uniform_work_group_size,
        options.verbose,
    ];
    let lanes = options.lanes.checked_ilog2().map_or(0, |log| log + 1) << LANES;
    bits.iter().rev().fold(0, |flags, bit| flags << 1 | u32::from(*bit)) | lanes
}

/// The options of [`flags`]; `None` if there are bits that mean nothing.
fn from_flags(flags: u32) -> Option<CompileOptions> {
    let bit = |number: u32| flags >> number & 1 != 0;
    (flags >> BITS == 0).then(|| CompileOptions {
        opt_disable: bit(0),
        mad_enable: bit(1),
        no_signed_zeros: bit(2),
        unsafe_math: bit(3),
        finite_math: bit(4),
        fast_relaxed_math: bit(5),
        denorms_are_zero: bit(6),
        uniform_work_group_size: bit(7),
        verbose: bit(8),
        lanes: (1 << (flags >> LANES)) >> 1,
        turned: false,
        disjoint: false,
        zero_private: false,
        switches: Switches::default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binary() -> Binary {
        Binary {
            kind: BinaryKind::Executable,
            options: "-w".into(),
            compile: CompileOptions { mad_enable: true, verbose: true, lanes: 64, ..CompileOptions::default() },
            words: Arc::new([0x0723_0203, 1, 2, 3, 4]),
        }
    }

    #[test]
    fn a_binary_comes_back_as_it_was() {
        assert_eq!(Binary::from_bytes(&binary().to_bytes()), Some(binary()));
    }

    #[test]
    fn anything_else_is_no_binary() {
        let good = binary().to_bytes();
        for length in 0..good.len() {
            let cut = Binary::from_bytes(&good[..length]);
            assert!(cut.is_none_or(|cut| cut.words.len() < 5), "the first {length} bytes");
        }
        for at in [0, 7, 8, 12, 19, 23] {
            let mut bad = good.clone();
            bad[at] ^= 0x80;
            assert_eq!(Binary::from_bytes(&bad), None, "byte {at}");
        }
    }
}
