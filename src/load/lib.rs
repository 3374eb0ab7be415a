//! Loads object code into executable memory.
//!
//! - **Takes**: an [`Image`], from the compiler process or from the on-disk cache: every offset in it is checked,
//!   because a cache entry may be anything.
//! - **Gives**: a [`LoadedImage`], which owns the mapping and hands out entry points; unmapped when dropped.
//! - **Never**: maps anything writable and executable at once; knows OpenCL objects or LLVM.
//! - **Spec**: none; the format is `oxicl-protocol`'s.

mod check;
mod map;

use std::fmt;

use oxicl_abi::{Entry, Image};

pub use check::LoadError;
use map::Mapping;

/// An image in executable memory.
///
/// The functions that [`LoadedImage::entry`] gives live as long as this does: whoever keeps one keeps the image, too.
pub struct LoadedImage {
    mapping: Mapping,
    code_len: usize,
}

impl LoadedImage {
    /// The function at `offset` from the base, or `None` if that is not inside the code.
    pub fn entry(&self, offset: u64) -> Option<Entry> {
        let offset = usize::try_from(offset).ok().filter(|offset| *offset < self.code_len)?;
        Some(self.mapping.function(offset))
    }

    /// Bytes of address space that the image takes.
    pub fn bytes(&self) -> usize {
        self.mapping.len()
    }
}

impl fmt::Debug for LoadedImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadedImage").field("bytes", &self.bytes()).finish_non_exhaustive()
    }
}

/// Copies `image` into fresh memory, applies its fix-ups, and makes its code executable and everything read-only.
///
/// # Errors
/// The image is malformed, or the system refuses the mapping.
pub fn load(image: &Image) -> Result<LoadedImage, LoadError> {
    let layout = check::layout(image)?;
    let mut memory = map::Writable::new(layout.total).map_err(LoadError::Map)?;
    let base = memory.address();
    let bytes = memory.bytes_mut();
    copy(bytes, 0, &image.code)?;
    copy(bytes, layout.data, &image.data)?;
    for fixup in &layout.fixups {
        let word = bytes.get_mut(*fixup..).and_then(<[u8]>::first_chunk_mut::<8>).ok_or(LoadError::Fixup)?;
        *word = u64::from_le_bytes(*word).wrapping_add(base as u64).to_le_bytes();
    }
    let mapping = memory.protect(layout.data).map_err(LoadError::Protect)?;
    Ok(LoadedImage { mapping, code_len: image.code.len() })
}

fn copy(to: &mut [u8], at: usize, from: &[u8]) -> Result<(), LoadError> {
    let end = at.checked_add(from.len()).ok_or(LoadError::Size)?;
    to.get_mut(at..end).ok_or(LoadError::Size)?.copy_from_slice(from);
    Ok(())
}

#[cfg(test)]
mod tests;
