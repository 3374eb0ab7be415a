//! cl_ext_float_atomics: sums, extremes, loads, stores and exchanges of half, float and double, in global and in local
//! memory. All numbers are exact in half precision, so that the order of the work-items does not show.

use khronos_headers as cl;
use oxicl_tests::client::{Buffer, Program};
use oxicl_tests::offline::assemble;

use crate::api::answer;

/// Work-items of the one work-group.
const ITEMS: usize = 64;

/// A kernel `k(global T *data)`: `data[0]` is added to, `data[1]` takes minima, `data[2]` maxima, `data[3]` gets what
/// was last exchanged for 7 in a place that held 5, and `data[4]` a copy of `data[5]`.
fn module(bits: u32, local: bool) -> Vec<u8> {
    let extra = match bits {
        16 => "OpCapability Float16\nOpCapability AtomicFloat16AddEXT\nOpCapability AtomicFloat16MinMaxEXT\n",
        32 => "OpCapability AtomicFloat32AddEXT\nOpCapability AtomicFloat32MinMaxEXT\n",
        _ => "OpCapability Float64\nOpCapability AtomicFloat64AddEXT\nOpCapability AtomicFloat64MinMaxEXT\n",
    };
    let (class, scope) = if local { ("Workgroup", "%c2") } else { ("CrossWorkgroup", "%c1") };
    let mut text = format!(
        "OpCapability Addresses\nOpCapability Kernel\nOpCapability Int64\n{extra}\
         OpExtension \"SPV_EXT_shader_atomic_float_add\"\nOpExtension \"SPV_EXT_shader_atomic_float16_add\"\n\
         OpExtension \"SPV_EXT_shader_atomic_float_min_max\"\n\
         OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %k \"k\" %gid %loc\n\
         OpDecorate %gid BuiltIn GlobalInvocationId\nOpDecorate %gid Constant\n\
         %void = OpTypeVoid\n%bool = OpTypeBool\n%uint = OpTypeInt 32 0\n%ulong = OpTypeInt 64 0\n\
         %T = OpTypeFloat {bits}\n%v3 = OpTypeVector %ulong 3\n%pv3 = OpTypePointer Input %v3\n\
         %gid = OpVariable %pv3 Input\n%c1 = OpConstant %uint 1\n%c2 = OpConstant %uint 2\n\
         %relaxed = OpConstant %uint 0\n%sem = OpConstant %uint 784\n%n = OpConstant %uint 6\n\
         %l0 = OpConstant %ulong 0\n%l1 = OpConstant %ulong 1\n%l2 = OpConstant %ulong 2\n%l3 = OpConstant %ulong 3\n\
         %l4 = OpConstant %ulong 4\n%l5 = OpConstant %ulong 5\n\
         %half = OpConstant %T 0.5\n%five = OpConstant %T 5\n%seven = OpConstant %T 7\n\
         %array = OpTypeArray %T %n\n%parray = OpTypePointer Workgroup %array\n%loc = OpVariable %parray Workgroup\n\
         %pg = OpTypePointer CrossWorkgroup %T\n%pl = OpTypePointer Workgroup %T\n%pc = OpTypePointer {class} %T\n\
         %kt = OpTypeFunction %void %pg\n\
         %k = OpFunction %void None %kt\n%p = OpFunctionParameter %pg\n%entry = OpLabel\n\
         %id3 = OpLoad %v3 %gid Aligned 32\n%id = OpCompositeExtract %ulong %id3 0\n\
         %i = OpConvertUToF %T %id\n%x = OpFSub %T %i %half\n%first = OpIEqual %bool %id %l0\n"
    )
    // The pointer types are one where the memory is global.
    .replace(if local { "%pc = OpTypePointer Workgroup %T\n" } else { "%pc = OpTypePointer CrossWorkgroup %T\n" }, "");
    for place in 0..6 {
        text.push_str(&format!("%g{place} = OpInBoundsPtrAccessChain %pg %p %l{place}\n"));
        text.push_str(&format!("%w{place} = OpInBoundsAccessChain %pl %loc %l{place}\n"));
    }
    let copy = |text: &mut String, from: char, to: char, label: &str| {
        text.push_str(&format!("OpBranchConditional %first %{label}a %{label}b\n%{label}a = OpLabel\n"));
        for place in 0..6 {
            text.push_str(&format!("%{label}v{place} = OpLoad %T %{from}{place}\n"));
            text.push_str(&format!("OpStore %{to}{place} %{label}v{place}\n"));
        }
        text.push_str(&format!("OpBranch %{label}b\n%{label}b = OpLabel\nOpControlBarrier %c2 %c2 %sem\n"));
    };
    let at = if local { 'w' } else { 'g' };
    if local {
        copy(&mut text, 'g', 'w', "in");
    }
    text.push_str(&format!(
        "%sum = OpAtomicFAddEXT %T %{at}0 {scope} %relaxed %x\n\
         %min = OpAtomicFMinEXT %T %{at}1 {scope} %relaxed %x\n\
         %max = OpAtomicFMaxEXT %T %{at}2 {scope} %relaxed %x\n\
         OpSelectionMerge %after None\nOpBranchConditional %first %alone %after\n%alone = OpLabel\n\
         OpAtomicStore %{at}3 {scope} %relaxed %five\n\
         %was = OpAtomicExchange %T %{at}3 {scope} %relaxed %seven\n\
         %now = OpAtomicLoad %T %{at}3 {scope} %relaxed\n\
         %both = OpFMul %T %was %now\nOpAtomicStore %{at}3 {scope} %relaxed %both\n\
         %copy = OpAtomicLoad %T %{at}5 {scope} %relaxed\nOpAtomicStore %{at}4 {scope} %relaxed %copy\n\
         OpBranch %after\n%after = OpLabel\n"
    ));
    if local {
        text.push_str("OpControlBarrier %c2 %c2 %sem\n");
        copy(&mut text, 'w', 'g', "out");
    }
    text.push_str("OpReturn\nOpFunctionEnd\n");
    assemble(&text).unwrap_or_else(|log| panic!("{log}\n{text}"))
}

/// Runs the kernel on bit patterns.
fn run<T: oxicl_tests::client::Plain + Default>(bits: u32, local: bool, data: [T; 6]) -> Vec<T> {
    let session = oxicl_tests::session();
    let program = Program::build(&session.context, &module(bits, local), "").unwrap_or_else(|error| panic!("{error}"));
    let kernel = program.kernel("k").unwrap();
    let buffer = Buffer::from_slice(&session.context, &data).unwrap();
    kernel.set_buffer(0, &buffer).unwrap();
    session.queue.launch(&kernel, [ITEMS], Some([ITEMS])).unwrap();
    session.queue.read(&buffer).unwrap()
}

/// The places before and after. The sum of i - 0.5 for all items i is 1984; the minimum starts as a NaN, which any
/// number replaces.
const BEFORE: [f64; 6] = [16.0, f64::NAN, -1000.0, 0.0, 0.0, 0.25];
const AFTER: [f64; 6] = [2000.0, -0.5, 62.5, 35.0, 0.25, 0.25];

#[test]
pub fn floats_are_added_and_compared_atomically() {
    for local in [false, true] {
        let found = run(32, local, BEFORE.map(|x| x as f32));
        assert_eq!(found, AFTER.map(|x| x as f32), "local: {local}");
        assert_eq!(run(64, local, BEFORE), AFTER, "local: {local}");
        // In half precision: 16, NaN, -1000, 0, 0, 0.25; 2000, -0.5, 62.5, 35, 0.25, 0.25.
        let found: Vec<u16> = run(16, local, [0x4C00, 0x7E00, 0xE3D0, 0, 0, 0x3400]);
        assert_eq!(found, [0x67D0, 0xB800, 0x53D0, 0x5060, 0x3400, 0x3400], "local: {local}");
    }
    let every = 0x0007_0007;
    for name in [
        cl::CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT,
        cl::CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT,
        cl::CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT,
    ] {
        assert_eq!(answer::<u64>(name), [every], "{name:#x}");
    }
}
