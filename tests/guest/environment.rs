//! Hosts with another LLVM, with unusual floating-point control, with little stack.

use std::ffi::CString;

use oxicl_tests::client::{Buffer, BuildError, Context, Program};
use oxicl_tests::kernels;

use crate::Outcome;
use crate::builders::build_and_run;

/// Loads every LLVM of the system into this process, with its symbols visible to all, before the library is used.
pub fn another_llvm() -> Outcome {
    let mut loaded = 0;
    for version in 11..=22 {
        for name in [format!("libLLVM-{version}.so.1"), format!("libLLVM.so.{version}.1")] {
            let name = CString::new(name).map_err(|error| error.to_string())?;
            // SAFETY: LLVM's initialisers only register options.
            if !unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) }.is_null() {
                loaded += 1;
                // More than one of them do not go together in any process.
                break;
            }
        }
        if loaded == 1 {
            break;
        }
    }
    if loaded == 0 {
        return Err("there is no libLLVM on this system to load".to_owned());
    }
    build_and_run()
}

/// A caller that flushes denormals, on a thread of 128 KiB stack. Kernels have to keep denormals, also the work that
/// the caller helps with while it waits, and the caller has to find its control register as it left it.
pub fn flush_to_zero_and_small_stack() -> Outcome {
    let thread = std::thread::Builder::new().stack_size(128 * 1024).spawn(halve_denormals);
    thread.map_err(|error| error.to_string())?.join().unwrap_or(Err("the thread panicked".to_owned()))
}

/// Flush to zero, denormals are zero, all exceptions masked.
const FLUSH: u32 = 0x9fc0;

fn halve_denormals() -> Outcome {
    let text = |error: oxicl_tests::client::Error| error.to_string();
    set_control(FLUSH);
    let context = Context::first().map_err(text)?;
    let queue = context.queue().map_err(text)?;
    let program = Program::build(&context, kernels::HALVE.plain, "").map_err(|error| error.to_string())?;
    let kernel = program.kernel("halve").map_err(text)?;
    let bits: Vec<u32> = (0..4096).map(|i| 2 * i + 2).collect();
    let start: Vec<f32> = bits.iter().map(|bits| f32::from_bits(*bits)).collect();
    let values = Buffer::from_slice(&context, &start).map_err(text)?;
    kernel.set_buffer(0, &values).map_err(text)?;
    queue.launch(&kernel, [values.len()], None).map_err(text)?;
    queue.finish().map_err(text)?;
    let found = queue.read(&values).map_err(text)?;
    if control() & 0xffc0 != FLUSH & 0xffc0 {
        return Err(format!("the caller's control register is {:#x} afterwards", control()));
    }
    match found.iter().zip(&bits).find(|(found, bits)| found.to_bits() != **bits / 2) {
        None => Ok(()),
        Some((found, bits)) => Err(format!("half of {bits:#x} is {:#x}: flushed", found.to_bits())),
    }
}

fn control() -> u32 {
    let mut value = 0u32;
    // SAFETY: stores the SSE control register into a local variable.
    unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut value, options(nostack)) };
    value
}

fn set_control(value: u32) {
    // SAFETY: this thread computes nothing with denormals itself; every exception stays masked.
    unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const value, options(nostack, readonly)) };
}

/// A process that may not execute programs: one that the cache knows runs all the same, another fails to build with a
/// log that says why.
pub fn may_not_execute() -> Outcome {
    forbid_exec()?;
    build_and_run()?;
    let context = Context::first().map_err(|error| error.to_string())?;
    match Program::build(&context, kernels::VICTIM.plain, "") {
        Ok(_) => Err("a program that is not in the cache was built".to_owned()),
        Err(BuildError { log, .. }) => {
            println!("{log}");
            Ok(())
        }
    }
}

/// Makes `execve` and `execveat` fail with EPERM from now on, as sandboxes do.
fn forbid_exec() -> Outcome {
    let step = |code: u32, jt: u8, jf: u8, k: u32| libc::sock_filter { code: code as u16, jt, jf, k };
    let (load, equal, answer) = (
        libc::BPF_LD | libc::BPF_W | libc::BPF_ABS,
        libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K,
        libc::BPF_RET | libc::BPF_K,
    );
    let mut steps = [
        step(load, 0, 0, 0),
        step(equal, 1, 0, libc::SYS_execve as u32),
        step(equal, 0, 1, libc::SYS_execveat as u32),
        step(answer, 0, 0, libc::SECCOMP_RET_ERRNO | libc::EPERM as u32),
        step(answer, 0, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let filter = libc::sock_fprog { len: steps.len() as u16, filter: steps.as_mut_ptr() };
    // SAFETY: the filter is valid memory, and is copied by the call.
    let failed = unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
            || libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &filter) != 0
    };
    if failed { Err(std::io::Error::last_os_error().to_string()) } else { Ok(()) }
}
