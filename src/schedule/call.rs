//! The one place from which kernels are entered.
//!
//! The trampoline gives the kernel the floating-point state that the compiler assumes, whatever the calling thread has
//! set (round to nearest, denormals kept, all exceptions masked), and a stack of ours, since the calling thread's may
//! be small. Afterwards the thread gets its own state and stack back. No lock is held meanwhile.
#![allow(unsafe_code, reason = "calls generated code on another stack")]

use std::arch::asm;

use oxicl_abi::{Entry, LaunchRecord};

use crate::order::Order;

/// A range of work-groups of a launch.
pub(crate) struct Call {
    pub(crate) entry: Entry,
    pub(crate) order: Order,
    pub(crate) launch: *const LaunchRecord,
    pub(crate) context: *mut u8,
    /// The first work-group, by linear id, and how many there are.
    pub(crate) groups: (u64, u64),
}

/// Calls the kernel for each work-group. It never panics: nothing here can fail.
///
/// # Safety
/// As for [`enter`], which calls this on its stack.
unsafe extern "C" fn run(call: *const Call) {
    // SAFETY: the caller promises that call and launch record are valid.
    let (call, launch) = unsafe { (&*call, &*(*call).launch) };
    call.order.each(launch, call.groups.0, call.groups.1, |group| {
        // SAFETY: the caller provides what `Entry` asks for.
        unsafe { (call.entry)(launch, call.context, group) }
    });
}

/// Runs the work-groups of `call`.
///
/// # Safety
/// What [`Entry`] asks for: `entry` is a compiled kernel, `launch` and what it points to are valid for it, `context` is
/// a block as large as the launch needs that nobody else uses. `stack` is the page-aligned end of a stack that is large
/// enough and that nobody else uses.
#[cfg(target_arch = "x86_64")]
pub(crate) unsafe fn enter(call: &Call, stack: *mut u8) {
    // SAFETY: `stack - 64` is inside the stack and aligned to 16, so the call finds the alignment that the ABI asks
    // for. The old stack pointer survives in r12, which the callee preserves. The control words are put back from the
    // slots at [rsp], to which rsp points again when the callee has returned. The call itself is the caller's promise.
    unsafe {
        asm!(
            "mov r12, rsp",
            "mov rsp, r13",
            "stmxcsr [rsp]",
            "fnstcw [rsp + 4]",
            "mov dword ptr [rsp + 8], 0x1f80",
            "mov word ptr [rsp + 12], 0x37f",
            "ldmxcsr [rsp + 8]",
            "fldcw [rsp + 12]",
            "call r14",
            "ldmxcsr [rsp]",
            "fldcw [rsp + 4]",
            "mov rsp, r12",
            in("rdi") call,
            in("r14") run as *const () as usize,
            inout("r13") stack.wrapping_sub(64) => _,
            out("r12") _,
            clobber_abi("sysv64"),
        );
    }
}

/// Runs the work-groups of `call`.
///
/// # Safety
/// As for x86-64.
#[cfg(target_arch = "aarch64")]
pub(crate) unsafe fn enter(call: &Call, stack: *mut u8) {
    // SAFETY: as for x86-64; x20 to x23 are preserved by the callee. A zero FPCR is what the compiler assumes.
    unsafe {
        asm!(
            "mov x20, sp",
            "mrs x21, fpcr",
            "msr fpcr, xzr",
            "mov sp, x22",
            "blr x23",
            "mov sp, x20",
            "msr fpcr, x21",
            in("x0") call,
            inout("x22") stack.wrapping_sub(64) => _,
            inout("x23") run as *const () as usize => _,
            out("x20") _,
            out("x21") _,
            clobber_abi("C"),
        );
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::{Call, enter};
    use crate::mapping::Mapping;
    use crate::order::Order;
    use oxicl_abi::{GroupRecord, GroupStyle, LaunchRecord};
    use std::arch::asm;

    fn control_words() -> (u32, u16) {
        let (mut mxcsr, mut x87) = (0u32, 0u16);
        // SAFETY: stores two registers into two variables.
        unsafe { asm!("stmxcsr [{}]", "fnstcw [{}]", in(reg) &mut mxcsr, in(reg) &mut x87, options(nostack)) };
        (mxcsr, x87)
    }

    fn set_control_words((mxcsr, x87): (u32, u16)) {
        // SAFETY: loads two registers from two variables; the test puts the old values back.
        unsafe { asm!("ldmxcsr [{}]", "fldcw [{}]", in(reg) &mxcsr, in(reg) &x87, options(nostack)) };
    }

    /// What a kernel saw of its surroundings.
    #[repr(C)]
    #[derive(Default)]
    struct Seen {
        mxcsr: u32,
        x87: u16,
        local: usize,
        groups: u64,
        last: u64,
    }

    extern "C" fn kernel(_: *const LaunchRecord, context: *mut u8, group: *const GroupRecord) {
        let (mxcsr, x87) = control_words();
        // Uses the stack and vector registers as generated code does.
        let mut data = [1.0f32; 4096];
        for (index, value) in data.iter_mut().enumerate() {
            *value += index as f32;
        }
        std::hint::black_box(&mut data);
        // SAFETY: the test passes a `Seen`.
        let (seen, group) = unsafe { (&mut *context.cast::<Seen>(), &*group) };
        *seen = Seen { mxcsr, x87, local: data.as_ptr() as usize, groups: seen.groups + 1, last: group.id[0] };
    }

    #[test]
    fn a_kernel_runs_on_our_stack_with_our_floating_point_state_and_the_thread_gets_its_own_back() {
        let mut stack = Mapping::new(1 << 20).unwrap();
        let range = stack.start() as usize..stack.end() as usize;
        let mut seen = Seen::default();
        let before = control_words();
        // Flush to zero, denormals are zero, round up; x87 in single precision, rounding down.
        let odd = (0x1f80 | 0x8040 | 0x4000, 0x047f);
        set_control_words(odd);
        let launch = LaunchRecord { local_size: [1; 3], num_groups: [20, 1, 1], ..LaunchRecord::default() };
        let context = (&raw mut seen).cast();
        let call = Call {
            entry: kernel,
            order: Order::new(GroupStyle::default(), 0),
            launch: &launch,
            context,
            groups: (3, 5),
        };
        // SAFETY: `kernel` reads no launch record and writes a `Seen` to the context; the stack is ours alone.
        unsafe { enter(&call, stack.end()) };
        let after = control_words();
        set_control_words(before);
        assert_eq!((after.0 & 0xffc0, after.1), (odd.0 & 0xffc0, odd.1));
        assert_eq!((seen.mxcsr & 0xffc0, seen.x87), (0x1f80, 0x37f));
        assert!(range.contains(&seen.local));
        assert_eq!((seen.groups, seen.last), (5, 7));
    }
}
