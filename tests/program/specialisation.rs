//! Specialisation constants of every type, and everything that may depend on one.

use std::ptr::null_mut;

use khronos_headers as cl;

use crate::sources::{assembled, build, build_text, kernel, program, run, set};
use crate::support::{Setup, call, ok};

/// Stores constants of every scalar type, 64 bits each, and then what depends on some: the length of an array, parts of
/// composites, an address that one chooses, an address that is a number, and the work-group's size.
const EVERYTHING: &str = "
    OpCapability Addresses
    OpCapability Kernel
    OpCapability Int8
    OpCapability Int16
    OpCapability Int64
    OpCapability Float16
    OpCapability Float64
    OpMemoryModel Physical64 OpenCL
    OpEntryPoint Kernel %k \"k\" %first %second %table
    OpExecutionModeId %k LocalSizeId %size %one %one
    OpDecorate %c_bool SpecId 0
    OpDecorate %c_char SpecId 1
    OpDecorate %c_short SpecId 2
    OpDecorate %c_int SpecId 3
    OpDecorate %c_long SpecId 4
    OpDecorate %c_half SpecId 5
    OpDecorate %c_float SpecId 6
    OpDecorate %c_double SpecId 7
    OpDecorate %size SpecId 4294967295
    OpDecorate %length SpecId 9
    %void = OpTypeVoid
    %bool = OpTypeBool
    %char = OpTypeInt 8 0
    %short = OpTypeInt 16 0
    %int = OpTypeInt 32 0
    %long = OpTypeInt 64 0
    %half = OpTypeFloat 16
    %float = OpTypeFloat 32
    %double = OpTypeFloat 64
    %int4 = OpTypeVector %int 4
    %short2 = OpTypeVector %short 2
    %one = OpConstant %int 1
    %l0 = OpConstant %long 0
    %l1 = OpConstant %long 1
    %four = OpConstant %long 4
    %c_bool = OpSpecConstantTrue %bool
    %c_char = OpSpecConstant %char 200
    %c_short = OpSpecConstant %short 50000
    %c_int = OpSpecConstant %int 3000000000
    %c_long = OpSpecConstant %long 10000000000000000000
    %c_half = OpSpecConstant %half 1.5
    %c_float = OpSpecConstant %float 2.5
    %c_double = OpSpecConstant %double 3.5
    %size = OpSpecConstant %int 4
    %length = OpSpecConstant %int 5
    %more = OpSpecConstantOp %int IAdd %length %one
    %array = OpTypeArray %int %more
    %pair = OpTypeStruct %array %long
    %vector = OpSpecConstantComposite %int4 %c_int %length %one %more
    %swapped = OpSpecConstantOp %int4 VectorShuffle %vector %vector 3 2 1 0
    %part = OpSpecConstantOp %int CompositeExtract %swapped 2
    %inserted = OpSpecConstantOp %int4 CompositeInsert %c_int %swapped 1
    %halves = OpSpecConstantOp %short2 Bitcast %c_int
    %high = OpSpecConstantOp %short CompositeExtract %halves 1
    %g_int = OpTypePointer CrossWorkgroup %int
    %g_long = OpTypePointer CrossWorkgroup %long
    %g_pair = OpTypePointer CrossWorkgroup %pair
    %p_pair = OpTypePointer Function %pair
    %first = OpVariable %g_int CrossWorkgroup %c_int
    %second = OpVariable %g_int CrossWorkgroup %length
    %chosen = OpSpecConstantOp %g_int Select %c_bool %first %second
    %number = OpSpecConstantOp %g_int ConvertUToPtr %c_long
    %number_of = OpSpecConstantOp %long ConvertPtrToU %number
    %no_pair = OpConstantNull %g_pair
    %member = OpSpecConstantOp %g_long InBoundsPtrAccessChain %no_pair %l1 %one
    %offset = OpSpecConstantOp %long ConvertPtrToU %member
    %address = OpSpecConstantOp %long ConvertPtrToU %chosen
    %sum = OpSpecConstantOp %long IAdd %address %four
    %difference = OpSpecConstantOp %long ISub %sum %address
    %g_g_int = OpTypePointer CrossWorkgroup %g_int
    %table = OpVariable %g_g_int CrossWorkgroup %chosen
    %fn = OpTypeFunction %void %g_long
    %k = OpFunction %void None %fn
    %out = OpFunctionParameter %g_long
    %entry = OpLabel
    %v = OpVariable %p_pair Function
    %r0 = OpSelect %long %c_bool %l1 %l0
    %r1 = OpUConvert %long %c_char
    %r2 = OpUConvert %long %c_short
    %r3 = OpUConvert %long %c_int
    %r4 = OpCopyObject %long %c_long
    %h = OpBitcast %short %c_half
    %r5 = OpUConvert %long %h
    %f = OpBitcast %int %c_float
    %r6 = OpUConvert %long %f
    %r7 = OpBitcast %long %c_double
    %r8 = OpUConvert %long %more
    %r9 = OpUConvert %long %part
    %in = OpCompositeExtract %int %inserted 1
    %r10 = OpUConvert %long %in
    %r11 = OpUConvert %long %high
    %at = OpLoad %g_int %table Aligned 8
    %through = OpLoad %int %at Aligned 4
    %r12 = OpUConvert %long %through
    %r13 = OpCopyObject %long %number_of
    %r14 = OpCopyObject %long %offset
    %r15 = OpCopyObject %long %difference
    STORES
    OpReturn
    OpFunctionEnd
";

const RESULTS: usize = 16;

fn module() -> Vec<u8> {
    let stores: String = (0..RESULTS)
        .map(|n| format!("%p{n} = OpInBoundsPtrAccessChain %g_long %out %n{n}\nOpStore %p{n} %r{n} Aligned 8\n"))
        .collect();
    let numbers: String = (0..RESULTS).map(|n| format!("%n{n} = OpConstant %long {n}\n")).collect();
    assembled(&EVERYTHING.replace("STORES", &stores).replace("    %four =", &format!("{numbers}    %four =")))
}

/// Builds and runs; gives the results and the required work-group size.
fn results(s: &Setup, p: cl::cl_program) -> (Vec<u64>, [usize; 3]) {
    assert_eq!(build(p, c""), cl::CL_SUCCESS, "{}", build_text(s, p, cl::CL_PROGRAM_BUILD_LOG));
    let k = kernel(p, "k");
    let mut size = [0usize; 3];
    let name = cl::CL_KERNEL_COMPILE_WORK_GROUP_SIZE;
    ok!(clGetKernelWorkGroupInfo(k, s.device, name, 24, size.as_mut_ptr().cast(), null_mut()));
    let out = s.filled(&[0; RESULTS * 8]);
    assert_eq!(set(k, 0, &out), cl::CL_SUCCESS);
    run(s, k, size[0], size[0]);
    let bytes = s.read(out);
    ok!(clReleaseKernel(k));
    ok!(clReleaseMemObject(out));
    (bytes.as_chunks::<8>().0.iter().map(|word| u64::from_ne_bytes(*word)).collect(), size)
}

#[test]
fn constants_of_every_type_get_values_and_all_that_depends_on_them_follows() {
    let s = Setup::new();
    let p = program(&s, &module());
    let (found, size) = results(&s, p);
    let int = 3_000_000_000_u64;
    let long = 10_000_000_000_000_000_000_u64;
    let expected =
        [1, 200, 50000, int, long, 0x3e00, 0x4020_0000, 0x400c_0000_0000_0000, 6, 5, int, int >> 16, int, long, 56, 4];
    assert_eq!((found, size), (expected.to_vec(), [4, 1, 1]));
    let set =
        |id: u32, bytes: &[u8]| call!(clSetProgramSpecializationConstant(p, id, bytes.len(), bytes.as_ptr().cast()));
    for (id, bytes) in [
        (0, &[0u8][..]),
        (1, &[7]),
        (2, &300_u16.to_ne_bytes()),
        (3, &0x0102_0304_u32.to_ne_bytes()),
        (4, &0x1122_3344_5566_7788_u64.to_ne_bytes()),
        (5, &0x4200_u16.to_ne_bytes()),
        (6, &(-1.0f32).to_ne_bytes()),
        (7, &1e300f64.to_ne_bytes()),
        (u32::MAX, &8_u32.to_ne_bytes()),
        (9, &10_u32.to_ne_bytes()),
    ] {
        // No other size fits.
        for wrong in [bytes.len() - 1, bytes.len() + 1, bytes.len() * 2, 16] {
            assert_eq!(set(id, &vec![0; wrong]), cl::CL_INVALID_VALUE, "constant {id} of {wrong} bytes");
        }
        assert_eq!(set(id, bytes), cl::CL_SUCCESS, "constant {id}");
    }
    assert_eq!(set(8, &[0; 4]), cl::CL_INVALID_SPEC_ID);
    let (found, size) = results(&s, p);
    let long = 0x1122_3344_5566_7788;
    let expected = [
        0,
        7,
        300,
        0x0102_0304,
        long,
        0x4200,
        0xbf80_0000,
        1e300f64.to_bits(),
        11,
        10,
        0x0102_0304,
        0x0102,
        10,
        long,
        104,
        4,
    ];
    assert_eq!((found, size), (expected.to_vec(), [8, 1, 1]));
    // A value that makes the module wrong fails the build, and another mends it.
    assert_eq!(set(9, &u32::MAX.to_ne_bytes()), cl::CL_SUCCESS);
    assert_eq!(build(p, c""), cl::CL_BUILD_PROGRAM_FAILURE);
    let log = build_text(&s, p, cl::CL_PROGRAM_BUILD_LOG);
    assert!(log.contains("OpTypeArray"), "{log}");
    assert_eq!(set(9, &1_u32.to_ne_bytes()), cl::CL_SUCCESS);
    assert_eq!(results(&s, p).0[8], 2);
    ok!(clReleaseProgram(p));
}
