//! What Level Zero's SPIR-V environment allows and OpenCL's does not, or not without more: DPC++ relies on it.

use oxicl_tests::offline::assemble_as;

use crate::run;

/// A module of a kernel with parameters of `types` after the two buffers.
fn module(capabilities: &str, types: &str, body: &str) -> Vec<u8> {
    let text = format!(
        "OpCapability Addresses\nOpCapability Kernel\nOpCapability Linkage\nOpCapability Int64\n{capabilities}\n\
         OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %k \"k\"\n\
         %void = OpTypeVoid\n%uint = OpTypeInt 32 0\n%ulong = OpTypeInt 64 0\n%float = OpTypeFloat 32\n\
         %pu = OpTypePointer CrossWorkgroup %uint\n%pl = OpTypePointer CrossWorkgroup %ulong\n\
         %pf = OpTypePointer CrossWorkgroup %float\n%kt = OpTypeFunction %void %pu %pf\n\
         %c0 = OpConstant %uint 0\n%c1 = OpConstant %uint 1\n%c2 = OpConstant %uint 2\n%c3 = OpConstant %uint 3\n\
         %c4 = OpConstant %uint 4\n%big = OpConstant %ulong 0x100000001\n%half = OpConstant %float 0.5\n{types}\n\
         %k = OpFunction %void None %kt\n%p = OpFunctionParameter %pu\n%q = OpFunctionParameter %pf\n\
         %entry = OpLabel\n{body}\nOpReturn\nOpFunctionEnd\n"
    );
    assemble_as(&text, 4).unwrap_or_else(|log| panic!("{log}\n{text}"))
}

#[test]
fn atomics_may_have_the_scope_of_one_work_item() {
    // The work-items run one after the other here or not: each adds the same, and no addition is lost where the scope is
    // the device's.
    let words = module(
        "",
        "",
        "%a = OpAtomicIAdd %uint %p %c1 %c0 %c2\n%q1 = OpInBoundsPtrAccessChain %pu %p %c1\n\
         OpAtomicStore %q1 %c4 %c0 %c3\n%b = OpAtomicLoad %uint %q1 %c4 %c0\n\
         %q2 = OpInBoundsPtrAccessChain %pu %p %c2\nOpAtomicStore %q2 %c4 %c0 %b",
    );
    assert_eq!(run(&words, &[0; 4], &[0.0; 4]).0, [8, 3, 3, 0]);
}

#[test]
fn atomics_may_be_on_long_integers_and_floats() {
    let words = module(
        "OpCapability Int64Atomics\nOpCapability AtomicFloat32AddEXT\nOpExtension \"SPV_EXT_shader_atomic_float_add\"",
        "",
        "%l = OpBitcast %pl %p\n%a = OpAtomicIAdd %ulong %l %c1 %c0 %big\n\
         %b = OpAtomicFAddEXT %float %q %c1 %c0 %half",
    );
    assert_eq!(run(&words, &[0; 4], &[1.0; 4]), (vec![4, 4, 0, 0], vec![3.0, 1.0, 1.0, 1.0]));
}

#[test]
fn kernels_may_take_half_numbers() {
    use oxicl_tests::client::{Buffer, Program};
    let text = "OpCapability Addresses\nOpCapability Kernel\nOpCapability Float16\n\
         OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %k \"k\"\n\
         %void = OpTypeVoid\n%half = OpTypeFloat 16\n%float = OpTypeFloat 32\n%half2 = OpTypeVector %half 2\n\
         %pf = OpTypePointer CrossWorkgroup %float\n%kt = OpTypeFunction %void %pf %half %half2\n\
         %k = OpFunction %void None %kt\n%q = OpFunctionParameter %pf\n%h = OpFunctionParameter %half\n\
         %v = OpFunctionParameter %half2\n%entry = OpLabel\n\
         %x = OpCompositeExtract %half %v 1\n%s = OpFAdd %half %h %x\n%f = OpFConvert %float %s\n\
         OpStore %q %f\nOpReturn\nOpFunctionEnd\n";
    let session = oxicl_tests::session();
    let words = assemble_as(text, 4).unwrap();
    let program = Program::build(&session.context, &words, "").unwrap_or_else(|error| panic!("{error}"));
    let kernel = program.kernel("k").unwrap();
    let buffer = Buffer::from_slice(&session.context, &[0.0f32]).unwrap();
    kernel.set_buffer(0, &buffer).unwrap();
    // 1.5, and 0 and 0.25 in one word.
    kernel.set(1, 0x3E00u16).unwrap();
    kernel.set(2, 0x3400_0000u32).unwrap();
    session.queue.launch(&kernel, [1], None).unwrap();
    assert_eq!(session.queue.read(&buffer).unwrap(), [1.75]);
}
