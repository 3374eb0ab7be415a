//! The mapping itself: first readable and writable, later readable and executable or read-only.
#![allow(unsafe_code, reason = "mmap, mprotect and munmap, and the cast of a code address to a function")]

use std::io;
use std::ptr::{self, NonNull};

use oxicl_abi::Entry;

/// Pages of ours that nobody else knows; unmapped when dropped.
struct Pages {
    base: NonNull<u8>,
    len: usize,
}

// SAFETY: the pages belong to this value alone, as a `Box<[u8]>` would.
unsafe impl Send for Pages {}
// SAFETY: a shared reference gives no way to write to them.
unsafe impl Sync for Pages {}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: `base` and `len` are those of our own successful mmap, and no reference into it outlives this value.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.len) };
    }
}

/// Fresh, zeroed, writable pages.
pub(crate) struct Writable(Pages);

impl Writable {
    /// Maps `len` bytes, a multiple of the page size and not 0.
    pub(crate) fn new(len: usize) -> io::Result<Self> {
        // SAFETY: an anonymous private mapping at an address of the system's choice touches nothing that exists.
        let base = unsafe {
            libc::mmap(
                ptr::null_mut(),
                len,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        match NonNull::new(base.cast()) {
            Some(base) => Ok(Writable(Pages { base, len })),
            None => Err(io::Error::from(io::ErrorKind::OutOfMemory)),
        }
    }

    /// The base address.
    pub(crate) fn address(&self) -> usize {
        self.0.base.as_ptr() as usize
    }

    /// The content.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the pages are mapped, readable, writable and zeroed for `len` bytes, and `&mut self` is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.0.base.as_ptr(), self.0.len) }
    }

    /// Makes the first `code` bytes, a multiple of the page size, readable and executable, the others read-only.
    pub(crate) fn protect(self, code: usize) -> io::Result<Mapping> {
        let len = self.0.len;
        protect(&self.0, 0, code.min(len), libc::PROT_READ | libc::PROT_EXEC)?;
        protect(&self.0, code.min(len), len - code.min(len), libc::PROT_READ)?;
        Ok(Mapping(self.0))
    }
}

fn protect(pages: &Pages, at: usize, len: usize, protection: libc::c_int) -> io::Result<()> {
    if len == 0 {
        return Ok(());
    }
    // SAFETY: `at + len` is at most `pages.len`, so the address is inside our mapping; no reference into the pages is
    // alive, because the callers own them.
    let failed = unsafe { libc::mprotect(pages.base.as_ptr().add(at).cast(), len, protection) } != 0;
    if failed { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Pages whose content is final: executable code, then read-only data.
pub(crate) struct Mapping(Pages);

impl Mapping {
    /// Size in bytes.
    pub(crate) fn len(&self) -> usize {
        self.0.len
    }

    /// The function at `offset`, which the caller knows to be inside the executable part.
    pub(crate) fn function(&self, offset: usize) -> Entry {
        debug_assert!(offset < self.0.len);
        let address = self.0.base.as_ptr().wrapping_add(offset);
        // SAFETY: a non-null address makes a valid function pointer value. That it may be *called*, under what
        // conditions and how long is the contract of `Entry`, an unsafe function type.
        unsafe { std::mem::transmute::<*mut u8, Entry>(address) }
    }
}
