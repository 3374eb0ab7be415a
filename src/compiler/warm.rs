//! What every compilation needs, done once before workers are forked.

use oxicl_abi::{Argument, ArgumentKind, KernelSignature};
use oxicl_caps::DeviceCaps;
use oxicl_llvm::{Context, Module};
use oxicl_ops::symbol;
use oxicl_protocol::{BuildFailure, CompileOptions, SourceRequest, Stage, Tier};
use oxicl_spirv::Id;
use oxicl_target::Target;
use oxicl_workgroup::Kernel;

use crate::codegen::{self, Settings};

/// A kernel with a loop and with what becomes a vector, so that most of LLVM has run once: symbols are bound, passes are
/// registered, tables are built. Workers then have all that from the start.
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

/// Compiles a small kernel for this machine, as most applications will. A failure is no harm: it is only slower then.
pub(crate) fn warm() {
    let _ = compile(&Target::host());
}

/// Compiles a small program, so that most of clang has run once. A failure is no harm here, either.
pub(crate) fn warm_front_end() {
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
    oxicl_prepare::for_codegen(&mut module, &machine, &options, Tier::Full)?;
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
