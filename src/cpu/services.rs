//! Services that kernels call in this process while they run, from their own stack and on any thread.
#![allow(unsafe_code, reason = "called by compiled code with addresses")]

use std::panic::catch_unwind;
use std::slice;
use std::sync::LazyLock;

use oxicl_abi::Services;
use oxicl_caps::DeviceCaps;
use oxicl_device::write;
use oxicl_printf::{Argument, Shape, Strings};
use oxicl_schedule::fibers;

static SERVICES: Services = fibers::services(printf);

/// Address of the table of services.
pub(super) fn table() -> u64 {
    &raw const SERVICES as u64
}

/// The text of one call is at most this long, in bytes.
static LIMIT: LazyLock<usize> =
    LazyLock::new(|| usize::try_from(DeviceCaps::host().limits.printf_bytes).unwrap_or(usize::MAX));

/// [`oxicl_abi::Printf`].
unsafe extern "C" fn printf(format: *const u8, shapes: *const u32, values: *const u64) -> i32 {
    // SAFETY: the caller's promise, which is the same.
    let printed = catch_unwind(|| unsafe { text(format, shapes, values) }.is_some_and(|text| write(&text)));
    if printed.unwrap_or(false) { 0 } else { -1 }
}

/// The text of a call; `None` if its format is wrong.
///
/// # Safety
/// As for [`oxicl_abi::Printf`].
unsafe fn text(format: *const u8, shapes: *const u32, values: *const u64) -> Option<Vec<u8>> {
    // SAFETY: the number of arguments and as many words of their types are there.
    let shapes = unsafe { slice::from_raw_parts(shapes.add(1), shapes.read() as usize) };
    let mut arguments = Vec::with_capacity(shapes.len());
    let mut at = 0;
    for word in shapes {
        let shape = Shape::from_word(*word)?;
        // SAFETY: the values have one word for each component of each argument.
        let values = unsafe { slice::from_raw_parts(values.add(at), shape.count as usize) };
        at += values.len();
        arguments.push(Argument { shape, values });
    }
    let limit = *LIMIT;
    let mut bytes = Vec::new();
    // SAFETY: the format ends with a null character, or is longer than any text may be.
    unsafe { copy(format, limit, &mut bytes) };
    oxicl_printf::format(&bytes, &arguments, &Memory, limit).ok()
}

/// The memory of this process.
struct Memory;

impl Strings for Memory {
    fn read(&self, address: u64, most: usize, to: &mut Vec<u8>) -> bool {
        // SAFETY: the kernel says that a string is there. If there is none, it fails as its own load would.
        unsafe { copy(address as *const u8, most, to) };
        true
    }
}

/// Appends what lies at `from` up to a null character, at most `most` bytes.
///
/// # Safety
/// All bytes up to the null character, or `most` of them, can be read.
unsafe fn copy(from: *const u8, most: usize, to: &mut Vec<u8>) {
    for index in 0..most {
        // SAFETY: no earlier byte was the last.
        match unsafe { from.add(index).read() } {
            0 => break,
            byte => to.push(byte),
        }
    }
}
