//! The physical layout: byte order, header and the word counts of the instructions.

use std::borrow::Cow;

use spirv::{MAGIC_NUMBER, Op};

use crate::error::DecodeError;
use crate::syntax;

/// Words of the header.
pub(crate) const HEADER_WORDS: usize = 5;

/// The largest id bound of the universal limits.
const MAX_BOUND: u32 = 4_194_304;

/// Modules larger than this, in words, are refused: offsets are kept in 32 bits.
const MAX_WORDS: usize = 1 << 28;

/// The header, checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) version: (u8, u8),
    pub(crate) generator: u32,
    pub(crate) bound: u32,
}

/// Bytes as words in host byte order, whichever order they are in.
///
/// # Errors
/// The length is no multiple of four, or the first word is the magic number in neither byte order.
pub fn words_from_bytes(bytes: &[u8]) -> Result<Vec<u32>, DecodeError> {
    if !bytes.len().is_multiple_of(4) {
        return Err(DecodeError::physical(
            bytes.len() / 4,
            format!("the length, {} bytes, is no multiple of 4", bytes.len()),
        ));
    }
    let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|chunk| u32::from_ne_bytes(*chunk)).collect();
    Ok(in_host_order(&words)?.into_owned())
}

/// `words` in host byte order.
pub(crate) fn in_host_order(words: &[u32]) -> Result<Cow<'_, [u32]>, DecodeError> {
    match words.first() {
        Some(&MAGIC_NUMBER) => Ok(Cow::Borrowed(words)),
        Some(first) if first.swap_bytes() == MAGIC_NUMBER => {
            Ok(Cow::Owned(words.iter().map(|word| word.swap_bytes()).collect()))
        }
        Some(first) => {
            Err(DecodeError::physical(0, format!("the first word is {first:#010x}, not the SPIR-V magic number")))
        }
        None => Err(DecodeError::physical(0, "the module is empty")),
    }
}

/// Checks the header and that every word count is at least one and stays inside the module.
pub(crate) fn check(words: &[u32]) -> Result<Header, DecodeError> {
    if words.len() > MAX_WORDS {
        return Err(DecodeError::physical(0, format!("the module has {} words, more than 2^28", words.len())));
    }
    let header = check_header(words)?;
    let mut offset = HEADER_WORDS;
    while let Some(&first) = words.get(offset) {
        let count = (first >> 16) as usize;
        if count == 0 {
            return Err(DecodeError::physical(offset, "an instruction has a word count of 0"));
        }
        if count > words.len() - offset {
            let name = syntax::name_of_number(first & 0xffff);
            return Err(DecodeError::physical(
                offset,
                format!("{name} has a word count of {count}, but {} words are left", words.len() - offset),
            ));
        }
        offset += count;
    }
    Ok(header)
}

fn check_header(words: &[u32]) -> Result<Header, DecodeError> {
    let &[magic, version, generator, bound, schema, ..] = words else {
        return Err(DecodeError::physical(0, format!("the header has {} words, not 5", words.len())));
    };
    if magic != MAGIC_NUMBER {
        return Err(DecodeError::physical(0, format!("the first word is {magic:#010x}, not the SPIR-V magic number")));
    }
    let [reserved_high, major, minor, reserved_low] = version.to_be_bytes();
    if (reserved_high, reserved_low) != (0, 0) || major != 1 || minor > 6 {
        return Err(DecodeError::physical(1, format!("the version word is {version:#010x}; SPIR-V 1.0 to 1.6 exist")));
    }
    if bound == 0 || bound > MAX_BOUND {
        return Err(DecodeError::physical(3, format!("the id bound is {bound}; 1 to {MAX_BOUND} is allowed")));
    }
    if schema != 0 {
        return Err(DecodeError::physical(4, format!("the instruction schema is {schema}, not 0")));
    }
    Ok(Header { version: (major, minor), generator, bound })
}

/// An instruction as its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawInstruction<'w> {
    /// Offset of its first word in the module.
    pub offset: u32,
    /// Number of its opcode.
    pub opcode: u32,
    /// All its words.
    pub words: &'w [u32],
}

impl RawInstruction<'_> {
    /// Its opcode, if it is known.
    pub fn op(&self) -> Option<Op> {
        Op::from_u32(self.opcode)
    }
}

/// The instructions of `words` in module order; ends early at a word count that is zero or leaves the module.
pub fn raw_instructions(words: &[u32]) -> impl Iterator<Item = RawInstruction<'_>> {
    let mut offset = HEADER_WORDS;
    std::iter::from_fn(move || {
        let first = *words.get(offset)?;
        let count = (first >> 16) as usize;
        let instruction = words.get(offset..offset + count).filter(|words| !words.is_empty())?;
        let raw = RawInstruction { offset: u32::try_from(offset).ok()?, opcode: first & 0xffff, words: instruction };
        offset += count;
        Some(raw)
    })
}
