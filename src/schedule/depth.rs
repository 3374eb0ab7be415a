//! What is on a stack besides a kernel's frames, and how deep stacks may be used.

use crate::Failed;

/// What calls the kernel takes on its stack, in bytes: `call::run` and what it calls, without the services. A bound; a debug
/// build takes 1.2 KiB of it.
pub(crate) const CALLER: u64 = 2 << 10;
/// What services take that a kernel calls, in bytes. A bound; printing takes most, in a debug build 6 KiB, and what the C
/// library needs to write belongs to it.
pub(crate) const SERVICES: u64 = 62 << 10;
/// What is left for the application's signal handlers, which run on the stack that their thread is on, in bytes. A bound:
/// those that unwind stacks or write reports have enough of it. The system gives memory only to what is touched.
const SIGNALS: u64 = 192 << 10;
/// What a stack has beyond what the kernel needs, in bytes.
pub(crate) const HEADROOM: u64 = CALLER + SERVICES + SIGNALS;

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
    use super::{Bound, CALLER, SERVICES};

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
