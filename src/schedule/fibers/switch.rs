//! Switches from stack to stack.

use std::arch::naked_asm;

use super::{Fibers, work};

/// Prepares a stack so that a [`switch`] to it enters [`begin`]; gives its stack pointer.
///
/// # Safety
/// `end` is the end of a stack that nobody uses, aligned to 16.
pub(super) unsafe fn prepare(end: *mut u8, fibers: *mut Fibers) -> *mut u8 {
    // SAFETY: `SAVED` words and two more fit into a stack.
    unsafe {
        let words = end.cast::<usize>().sub(SAVED + 2);
        words.write_bytes(0, SAVED + 2);
        words.add(FIBERS).write(fibers as usize);
        words.add(RETURN).write(begin as *const () as usize);
        words.cast()
    }
}

#[cfg(target_arch = "x86_64")]
mod words {
    /// How many words `switch` leaves on a stack, and which of them are the pointer for `begin` (r12) and the return
    /// address.
    pub(super) const SAVED: usize = 7;
    pub(super) const FIBERS: usize = 3;
    pub(super) const RETURN: usize = 6;
}

#[cfg(target_arch = "aarch64")]
mod words {
    /// As for x86-64; x19 and x30.
    pub(super) const SAVED: usize = 20;
    pub(super) const FIBERS: usize = 0;
    pub(super) const RETURN: usize = 11;
}

use words::{FIBERS, RETURN, SAVED};

/// Stores the stack pointer in `from` and goes on at the stack pointer `to`. The registers that the ABI preserves are
/// saved on the stack that is left; the control words of floating point are the same for all stacks.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub(super) unsafe extern "C" fn switch(from: *mut *mut u8, to: *mut u8) {
    naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "mov [rdi], rsp",
        "mov rsp, rsi",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
    )
}

/// The first code on a fiber's stack, which is aligned to 16 here.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
unsafe extern "C" fn begin() {
    naked_asm!("mov rdi, r12", "call {work}", "ud2", work = sym work)
}

/// As for x86-64.
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
pub(super) unsafe extern "C" fn switch(from: *mut *mut u8, to: *mut u8) {
    naked_asm!(
        "sub sp, sp, #160",
        "stp x19, x20, [sp]",
        "stp x21, x22, [sp, #16]",
        "stp x23, x24, [sp, #32]",
        "stp x25, x26, [sp, #48]",
        "stp x27, x28, [sp, #64]",
        "stp x29, x30, [sp, #80]",
        "stp d8, d9, [sp, #96]",
        "stp d10, d11, [sp, #112]",
        "stp d12, d13, [sp, #128]",
        "stp d14, d15, [sp, #144]",
        "mov x9, sp",
        "str x9, [x0]",
        "mov sp, x1",
        "ldp x19, x20, [sp]",
        "ldp x21, x22, [sp, #16]",
        "ldp x23, x24, [sp, #32]",
        "ldp x25, x26, [sp, #48]",
        "ldp x27, x28, [sp, #64]",
        "ldp x29, x30, [sp, #80]",
        "ldp d8, d9, [sp, #96]",
        "ldp d10, d11, [sp, #112]",
        "ldp d12, d13, [sp, #128]",
        "ldp d14, d15, [sp, #144]",
        "add sp, sp, #160",
        "ret",
    )
}

/// As for x86-64.
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
unsafe extern "C" fn begin() {
    naked_asm!("mov x0, x19", "bl {work}", "brk #1", work = sym work)
}
