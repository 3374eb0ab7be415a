//! What is on a stack besides a kernel's frames, and how deep stacks are used.
#![allow(unsafe_code, reason = "reads and writes stacks")]

use crate::Failed;

/// What calls the kernel takes on its stack, in bytes: `call::run` and what it calls, without the services. A bound; a debug
/// build takes 1.2 KiB of it.
pub(crate) const CALLER: u64 = 2 << 10;
/// What services take that a kernel calls, in bytes. A bound; printing takes most, in a debug build 6 KiB, and what the C
/// library needs to write belongs to it.
pub(crate) const SERVICES: u64 = 62 << 10;
/// What is left for the application's signal handlers, which run on the stack that their thread is on, in bytes. A bound:
/// more than handlers have that keep to a stack of the least size that POSIX knows.
const SIGNALS: u64 = 64 << 10;
/// What a stack has beyond what the kernel needs, in bytes.
pub(crate) const HEADROOM: u64 = CALLER + SERVICES + SIGNALS;

/// What no kernel leaves on its stack by chance all over: a word for stacks that are looked at afterwards.
const UNTOUCHED: u64 = 0x5a17_c0de_0bad_5eed;

/// Fills a stack that nobody uses.
///
/// # Safety
/// The words from `start` up to `end`, both aligned to a word, can be written.
pub(crate) unsafe fn fill(start: *mut u8, end: *mut u8) {
    let mut word = start.cast::<u64>();
    while word < end.cast() {
        // SAFETY: the caller's promise.
        unsafe { word.write(UNTOUCHED) };
        word = word.wrapping_add(1);
    }
}

/// How many bytes below `end` a stack was used that was filled before.
///
/// # Safety
/// The words from `start` up to `end`, both aligned to a word, can be read.
pub(crate) unsafe fn depth(start: *const u8, end: *const u8) -> u64 {
    let mut word = start.cast::<u64>();
    // SAFETY: the caller's promise.
    while word < end.cast() && unsafe { word.read() } == UNTOUCHED {
        word = word.wrapping_add(1);
    }
    (end as u64).saturating_sub(word as u64)
}

/// What stacks are held against that are looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound {
    /// What the kernel says that it needs, in bytes.
    pub(crate) kernel: u64,
    /// It calls services.
    pub(crate) has_services: bool,
}

impl Bound {
    /// Tells standard error of a stack that was used deeper than there was reason to.
    ///
    /// # Errors
    /// It was.
    pub(crate) fn check(self, stack: &str, depth: u64) -> Result<(), Failed> {
        let most = self.kernel + CALLER + if self.has_services { SERVICES } else { 0 };
        if depth <= most {
            return Ok(());
        }
        eprintln!(
            "oxicl: {depth} bytes of {stack} were used, and {most} were expected (the kernel's are {})",
            self.kernel
        );
        Err(Failed)
    }
}

#[cfg(test)]
mod tests {
    use super::{Bound, CALLER, SERVICES, depth, fill};

    #[test]
    fn the_lowest_word_that_was_written_tells_the_depth() {
        let mut words = [0u64; 64];
        let range = words.as_mut_ptr_range();
        let (start, end) = (range.start.cast::<u8>(), range.end.cast::<u8>());
        // SAFETY: these are the words of the array.
        unsafe {
            fill(start, end);
            assert_eq!(depth(start, end), 0);
            start.cast::<u64>().add(60).write(0);
            assert_eq!(depth(start, end), 32);
            start.add(81).write(7);
            assert_eq!(depth(start, end), 54 * 8);
            start.write(0);
            assert_eq!(depth(start, end), 512);
        }
    }

    #[test]
    fn a_stack_may_be_used_as_deep_as_the_kernel_and_who_serves_it_say() {
        let alone = Bound { kernel: 1000, has_services: false };
        assert!(alone.check("a test", 1000 + CALLER).is_ok());
        assert!(alone.check("a test", 1001 + CALLER).is_err());
        let served = Bound { has_services: true, ..alone };
        assert!(served.check("a test", 1000 + CALLER + SERVICES).is_ok());
        assert!(served.check("a test", 1001 + CALLER + SERVICES).is_err());
    }
}
