//! Program binaries: linked SPIR-V, options and kind, never machine code. Loaded ones are checked like any module.

use std::sync::Arc;

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
    /// Options that it was built with.
    pub options: String,
    /// The module.
    pub words: Arc<[u32]>,
}

/// First bytes of every binary.
const MAGIC: &[u8; 8] = b"oxicl\0\r\n";
/// Version of the format.
const VERSION: u32 = 1;

impl Binary {
    /// As the application gets it: magic, version, kind, length of the options, the options, the words; all numbers
    /// with the low byte first.
    pub fn to_bytes(&self) -> Vec<u8> {
        let kind: u32 = match self.kind {
            BinaryKind::None => 0,
            BinaryKind::Object => 1,
            BinaryKind::Library => 2,
            BinaryKind::Executable => 3,
        };
        let mut bytes = MAGIC.to_vec();
        for number in [VERSION, kind, u32::try_from(self.options.len()).unwrap_or(u32::MAX)] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.options.bytes().take(u32::MAX as usize));
        bytes.extend(self.words.iter().flat_map(|word| word.to_le_bytes()));
        bytes
    }

    /// Reads what an application gave; `None` if it is not a binary of ours.
    pub fn from_bytes(bytes: &[u8]) -> Option<Binary> {
        let rest = bytes.strip_prefix(MAGIC)?;
        let (numbers, rest) = rest.split_first_chunk::<12>()?;
        let (numbers, _) = numbers.as_chunks::<4>();
        let [version, kind, length] = numbers else { return None };
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
            words: words.iter().map(|word| u32::from_le_bytes(*word)).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binary() -> Binary {
        Binary { kind: BinaryKind::Executable, options: "-w".into(), words: Arc::new([0x0723_0203, 1, 2, 3, 4]) }
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
        for at in [0, 7, 8, 12, 19] {
            let mut bad = good.clone();
            bad[at] ^= 0x80;
            assert_eq!(Binary::from_bytes(&bad), None, "byte {at}");
        }
    }
}
