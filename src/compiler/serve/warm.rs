//! What every compilation needs, done once in the supervisor, so that workers that are forked from then on have it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread::{Builder, JoinHandle};

use oxicl_abi::{Argument, ArgumentKind, KernelSignature};
use oxicl_caps::DeviceCaps;
use oxicl_llvm::{Context, Module};
use oxicl_ops::symbol;
use oxicl_protocol::{BuildFailure, CompileOptions, SourceRequest, Stage, Tier};
use oxicl_spirv::Id;
use oxicl_target::Target;
use oxicl_workgroup::Kernel;

use super::system;
use crate::codegen::{self, Settings};

/// A kernel with a loop and with what becomes a vector, so that most of LLVM has run once: symbols are bound, passes
/// are registered, tables are built. Workers then have all that from the start.
const KERNEL: &str = "
define void @warm(ptr addrspace(1) %in, ptr addrspace(1) %out, i64 %n) {
  %id = call i64 @oxicl.global_id(i32 0)
  %at = getelementptr inbounds float, ptr addrspace(1) %out, i64 %id
  br label %test
test:
  %i = phi i64 [ 0, %0 ], [ %next, %turn ]
  %sum = phi float [ 0.0, %0 ], [ %more, %turn ]
  %again = icmp ult i64 %i, %n
  br i1 %again, label %turn, label %end
turn:
  %place = add i64 %i, %id
  %from = getelementptr inbounds float, ptr addrspace(1) %in, i64 %place
  %value = load float, ptr addrspace(1) %from, align 4
  %product = fmul float %value, %value
  %more = fadd float %sum, %product
  %next = add i64 %i, 1
  br label %test
end:
  store float %sum, ptr addrspace(1) %at, align 4
  ret void
}
declare i64 @oxicl.global_id(i32)
";

/// The stack for the programs here, in bytes. Only what is touched takes memory.
const STACK: usize = 8 << 20;

/// Has a thread compile small programs, on the processor time that others leave unless it is hurried. Failures do no
/// harm: workers are only slower then.
#[derive(Default)]
pub(crate) struct Warming {
    thread: Option<JoinHandle<()>>,
    /// The thread's number for the system; 0 until it has one.
    number: Arc<AtomicI32>,
    /// What runs when the thread is over.
    next: Option<fn()>,
    has_front_end: bool,
}

impl Warming {
    /// Begins with a kernel for this machine, as most applications will.
    pub(crate) fn start() -> Warming {
        let mut warming = Warming::default();
        warming.next = Some(warm_code_generator);
        warming.advance();
        warming
    }

    /// Goes on with a program in OpenCL C. Called for the first source, as many applications have none.
    pub(crate) fn add_front_end(&mut self) {
        if !std::mem::replace(&mut self.has_front_end, true) {
            self.next = Some(warm_front_end);
            self.advance();
        }
    }

    /// Begins what comes next, if the thread is over. True if all of it has just ended.
    pub(crate) fn advance(&mut self) -> bool {
        let finished = self.thread.take_if(|thread| thread.is_finished());
        let has_ended = finished.is_some();
        if let Some(thread) = finished {
            let _ = thread.join();
            self.number.store(0, Ordering::Relaxed);
        }
        if self.thread.is_none()
            && let Some(work) = self.next.take()
        {
            let number = Arc::clone(&self.number);
            let run = move || {
                number.store(system::lower_thread(), Ordering::Relaxed);
                work();
            };
            self.thread = Builder::new().stack_size(STACK).spawn(run).ok();
        }
        has_ended && self.is_over()
    }

    /// Whether there is no thread, nor will be one.
    pub(crate) fn is_over(&self) -> bool {
        self.thread.is_none() && self.next.is_none()
    }

    /// Raises the thread's priority, as somebody waits for it.
    pub(crate) fn hurry(&self) {
        let number = self.number.load(Ordering::Relaxed);
        if number != 0 {
            system::set_background(number, false);
        }
    }
}

impl Drop for Warming {
    /// Waits for the thread: destructors of LLVM's must not run beside it.
    fn drop(&mut self) {
        self.hurry();
        self.thread.take().map(JoinHandle::join);
    }
}

fn warm_code_generator() {
    let _ = compile(&Target::host());
}

/// Runs most of clang once.
fn warm_front_end() {
    let _ = oxicl_opencl_c::rehearse(&source(), DeviceCaps::anywhere());
}

fn source() -> SourceRequest {
    const PROGRAM: &str = "kernel void warm(global const float *a, global float4 *b, local int *c, uint n) {
        size_t i = get_global_id(0);
        for (uint k = 0; k < n; ++k)
            b[i] += sin(a[k]) * convert_float4(vload4(k, c));
        barrier(CLK_LOCAL_MEM_FENCE);
        atomic_add(c, 1);
    }";
    SourceRequest { text: PROGRAM.into(), folder: "/".into(), ..SourceRequest::default() }
}

fn compile(target: &Target) -> Result<(), BuildFailure> {
    let context = Context::new();
    let options = CompileOptions::default();
    let machine = codegen::machine(target, Tier::Full)?;
    let mut module = Module::parse_text(&context, KERNEL)
        .map_err(|error| BuildFailure::new(Stage::CompilerProcess, error.to_string()))?;
    machine.prepare(&module);
    oxicl_prepare::for_workgroup(&mut module, &machine, &options, Tier::Full)?;
    let signature = signature();
    let kernel = Kernel { name: "warm", function: "warm", signature: &signature };
    let facts = oxicl_workgroup::build(&mut module, &[kernel], &options, target)?;
    oxicl_prepare::for_codegen(&mut module, &machine, target, &options, Tier::Full)?;
    let kernels = facts.into_iter().map(|facts| (symbol::entry(0), facts)).collect();
    let settings = Settings { target: target.clone(), ..Settings::default() };
    codegen::emit(&machine, &mut module, &settings, kernels).map(|_| ())
}

fn signature() -> KernelSignature {
    let argument = |kind, offset| Argument { kind, size: 8, align: 8, offset };
    let arguments =
        vec![argument(ArgumentKind::Global, 0), argument(ArgumentKind::Global, 8), argument(ArgumentKind::Value, 16)];
    KernelSignature::new(Id(std::num::NonZeroU32::MIN), "", arguments)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_that_warms_up_compiles() {
        compile(&Target::host()).expect("an image");
    }

    #[test]
    fn the_program_that_warms_up_compiles() {
        oxicl_opencl_c::rehearse(&source(), DeviceCaps::anywhere()).expect("a module");
    }
}
