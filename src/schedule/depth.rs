//! What a stack holds besides a kernel's frames, and how deep stacks may be used.

use crate::Failed;

/// What the code that calls the kernel takes of the stack, in bytes: `call::run` and what it calls, without the
/// services. A bound; a debug build takes 1.2 KiB of it.
pub(crate) const CALLER: u64 = 2 << 10;
/// What the services that a kernel calls take of the stack, in bytes. A bound; printing takes most, 6 KiB in a debug
/// build. It includes what the C library needs to write.
pub(crate) const SERVICES: u64 = 62 << 10;
/// What is left for the application's signal handlers, in bytes: they run on the stack that their thread is on. A
/// bound: handlers that unwind stacks or write reports have enough of it. The system provides memory only for pages
/// that are touched.
const SIGNALS: u64 = 192 << 10;
/// What a stack has beyond what the kernel needs, in bytes.
pub(crate) const HEADROOM: u64 = CALLER + SERVICES + SIGNALS;

/// What the depth of a watched stack is compared with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound {
    /// What the kernel says it needs, in bytes.
    pub(crate) kernel: u64,
    /// The kernel calls services.
    pub(crate) has_services: bool,
}

impl Bound {
    /// Compares the `depth` of a stack, in bytes, with the bound. Reports on standard error if it is larger.
    ///
    /// # Errors
    /// The stack was used deeper.
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
