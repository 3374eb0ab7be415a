//! Hosts with another LLVM, with unusual floating-point control, with little stack.

use std::ffi::CString;

use oxicl_tests::client::{Buffer, Context, Program};
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
