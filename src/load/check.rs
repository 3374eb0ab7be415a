//! What an image must satisfy before any of it is mapped.

use std::fmt;
use std::io;

use oxicl_abi::{Image, PAGE};

/// Images are refused above this, in bytes: near branches reach 2 GiB, and no compiler output comes close.
const LARGEST: usize = 1 << 30;

/// Why an image cannot be loaded.
#[derive(Debug)]
pub enum LoadError {
    /// There is no code, or more than an image may hold.
    Size,
    /// A fix-up lies outside the data, overlaps another, or its word does not point into the image.
    Fixup,
    /// A kernel's entry point lies outside the code.
    Entry,
    /// A kernel's facts contradict each other.
    Facts,
    /// Memory could not be mapped.
    Map(io::Error),
    /// Memory could not be made executable.
    Protect(io::Error),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::Size => f.write_str("the image has no code or is larger than 1 GiB"),
            LoadError::Fixup => f.write_str("the image has a fix-up that is not a pointer into itself"),
            LoadError::Entry => f.write_str("the image has an entry point outside its code"),
            LoadError::Facts => f.write_str("the image has a kernel without lanes or sub-group size"),
            LoadError::Map(error) => write!(f, "no memory for the image: {error}"),
            LoadError::Protect(error) => write!(f, "memory cannot be made executable: {error}"),
        }
    }
}

impl std::error::Error for LoadError {}

/// Where the parts of an image go, in bytes from its base.
pub(crate) struct Layout {
    /// The first byte of the data; the code ends before it.
    pub(crate) data: usize,
    /// Size of the whole, a multiple of [`PAGE`].
    pub(crate) total: usize,
    /// Checked fix-ups.
    pub(crate) fixups: Vec<usize>,
}

/// Checks every offset of `image`.
pub(crate) fn layout(image: &Image) -> Result<Layout, LoadError> {
    if image.code.is_empty() || image.code.len() > LARGEST || image.data.len() > LARGEST {
        return Err(LoadError::Size);
    }
    let data = image.data_offset();
    let total = (data + image.data.len()).next_multiple_of(PAGE);
    let mut fixups = Vec::new();
    fixups.try_reserve_exact(image.fixups.len()).map_err(|_| LoadError::Fixup)?;
    let mut end_of_previous = data;
    for fixup in &image.fixups {
        let at = usize::try_from(*fixup).map_err(|_| LoadError::Fixup)?;
        // In ascending order and without overlap, so that each word is adjusted once.
        let inside = at.checked_sub(data).filter(|_| at >= end_of_previous).ok_or(LoadError::Fixup)?;
        let word = image.data.get(inside..).and_then(<[u8]>::first_chunk::<8>).ok_or(LoadError::Fixup)?;
        // One past the end is a legal pointer to form.
        if u64::from_le_bytes(*word) > total as u64 {
            return Err(LoadError::Fixup);
        }
        end_of_previous = at + 8;
        fixups.push(at);
    }
    for kernel in &image.kernels {
        if kernel.entry >= image.code.len() as u64 {
            return Err(LoadError::Entry);
        }
        if kernel.lanes == 0 || kernel.sub_group_size == 0 {
            return Err(LoadError::Facts);
        }
    }
    Ok(Layout { data, total, fixups })
}
