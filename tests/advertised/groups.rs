//! Extensions of sub-groups, in one that is a single work-item: each exchange gives what the work-item had. What more of
//! them do is compared where kernels are executed by thousands.

use std::ptr::null_mut;

use khronos_headers as cl;
use oxicl_tests::client::{Buffer, Program};
use oxicl_tests::offline::assemble_as;

use crate::api::answer;
use crate::spirv::Parts;
use crate::support::{Setup, create, ok};

/// The scope of the sub-group, and types that the modules need.
const GLOBALS: &str = "%sub = OpConstant %uint 3\n%v4 = OpTypeVector %uint 4\n%true = OpConstantTrue %bool";

/// Runs `body`, which computes `%r` from `%x`, with capabilities.
fn assert_result(capabilities: &[&str], body: &str, x: u32, expected: u32) {
    let capabilities: Vec<String> = capabilities.iter().map(|name| format!("OpCapability {name}")).collect();
    Parts { capabilities: &capabilities.join("\n"), globals: GLOBALS, body, ..Parts::default() }
        .assert_result(x, expected);
}

#[test]
pub fn some_work_items_vote() {
    let choose = "\n%r = OpSelect %uint %q %c8 %c4";
    for (vote, expected) in [
        ("%q = OpGroupNonUniformElect %bool %sub", 8),
        ("%o = OpIEqual %bool %x %c4\n%q = OpGroupNonUniformAll %bool %sub %o", 8),
        ("%o = OpIEqual %bool %x %c8\n%q = OpGroupNonUniformAny %bool %sub %o", 4),
        ("%q = OpGroupNonUniformAllEqual %bool %sub %x", 8),
    ] {
        assert_result(&["GroupNonUniformVote"], &format!("{vote}{choose}"), 4, expected);
    }
}

#[test]
pub fn a_ballot_has_a_bit_for_each_work_item() {
    let ballot = "%b = OpGroupNonUniformBallot %v4 %sub %true\n";
    for (body, expected) in [
        ("%r = OpCompositeExtract %uint %b 0", 1),
        ("%r = OpCompositeExtract %uint %b 3", 0),
        ("%r = OpGroupNonUniformBallotBitCount %uint %sub Reduce %b", 1),
        ("%r = OpGroupNonUniformBallotBitCount %uint %sub ExclusiveScan %b", 0),
        ("%r = OpGroupNonUniformBallotFindLSB %uint %sub %b", 0),
        ("%r = OpGroupNonUniformBallotFindMSB %uint %sub %b", 0),
        ("%q = OpGroupNonUniformInverseBallot %bool %sub %b\n%r = OpSelect %uint %q %c8 %c4", 8),
        ("%q = OpGroupNonUniformBallotBitExtract %bool %sub %b %c1\n%r = OpSelect %uint %q %c8 %c4", 4),
        ("%r = OpGroupNonUniformBroadcast %uint %sub %x %c0", 77),
        ("%r = OpGroupNonUniformBroadcastFirst %uint %sub %x", 77),
    ] {
        assert_result(&["GroupNonUniformBallot"], &format!("{ballot}{body}"), 77, expected);
    }
    let parts = Parts {
        capabilities: "OpCapability GroupNonUniformBallot",
        decorations: "OpDecorate %mask BuiltIn SubgroupLeMask",
        globals: &format!("{GLOBALS}\n%pm = OpTypePointer Input %v4\n%mask = OpVariable %pm Input"),
        body: "%m = OpLoad %v4 %mask\n%r = OpCompositeExtract %uint %m 0",
        ..Parts::default()
    };
    parts.assert_result(77, 1);
}

#[test]
pub fn some_work_items_reduce_and_scan() {
    for (body, expected) in [
        ("%r = OpGroupNonUniformIAdd %uint %sub Reduce %x", 9),
        ("%r = OpGroupNonUniformIMul %uint %sub InclusiveScan %x", 9),
        ("%r = OpGroupNonUniformUMin %uint %sub ExclusiveScan %x", u32::MAX),
        ("%r = OpGroupNonUniformBitwiseXor %uint %sub Reduce %x", 9),
    ] {
        assert_result(&["GroupNonUniformArithmetic"], body, 9, expected);
    }
    let logical = "%q = OpGroupNonUniformLogicalAnd %bool %sub ExclusiveScan %true\n%r = OpSelect %uint %q %c8 %c4";
    assert_result(&["GroupNonUniformArithmetic"], logical, 0, 8);
}

#[test]
pub fn clusters_reduce() {
    let body = "%r = OpGroupNonUniformSMax %uint %sub ClusteredReduce %x %c1";
    assert_result(&["GroupNonUniformArithmetic", "GroupNonUniformClustered"], body, 9, 9);
}

#[test]
pub fn values_are_shuffled() {
    assert_result(&["GroupNonUniformShuffle"], "%r = OpGroupNonUniformShuffle %uint %sub %x %c0", 9, 9);
    assert_result(&["GroupNonUniformShuffle"], "%r = OpGroupNonUniformShuffleXor %uint %sub %x %c0", 9, 9);
}

#[test]
pub fn values_are_shuffled_up_and_down() {
    assert_result(&["GroupNonUniformShuffleRelative"], "%r = OpGroupNonUniformShuffleUp %uint %sub %x %c0", 9, 9);
    assert_result(&["GroupNonUniformShuffleRelative"], "%r = OpGroupNonUniformShuffleDown %uint %sub %x %c0", 9, 9);
}

#[test]
pub fn values_rotate() {
    let parts = Parts {
        capabilities: "OpCapability GroupNonUniformRotateKHR",
        extensions: "OpExtension \"SPV_KHR_subgroup_rotate\"",
        globals: GLOBALS,
        body: "%s = OpGroupNonUniformRotateKHR %uint %sub %x %c0\n%r = OpGroupNonUniformRotateKHR %uint %sub %s %c4 %c1",
        ..Parts::default()
    };
    parts.assert_result(9, 9);
}

#[test]
pub fn small_numbers_and_vectors_are_exchanged() {
    let globals = format!("{GLOBALS}\n%uchar = OpTypeInt 8 0\n%half = OpTypeFloat 16\n%ushort = OpTypeInt 16 0");
    for (body, expected) in [
        ("%n = OpUConvert %uchar %x\n%m = OpGroupIAdd %uchar %sub Reduce %n\n%r = OpUConvert %uint %m", 9),
        ("%n = OpUConvert %uchar %x\n%m = OpGroupSMax %uchar %sub ExclusiveScan %n\n%r = OpUConvert %uint %m", 0x80),
        (
            "%n = OpUConvert %ushort %x\n%h = OpBitcast %half %n\n%m = OpGroupFMin %half %sub ExclusiveScan %h\n\
             %o = OpBitcast %ushort %m\n%r = OpUConvert %uint %o",
            0x7C00,
        ),
        (
            "%v = OpCompositeConstruct %v4 %x %c1 %c4 %c8\n%w = OpGroupBroadcast %v4 %sub %v %c0\n\
             %r = OpCompositeExtract %uint %w 2",
            4,
        ),
    ] {
        let parts = Parts {
            capabilities: "OpCapability Groups\nOpCapability Int8\nOpCapability Int16\nOpCapability Float16",
            globals: &globals,
            body,
            ..Parts::default()
        };
        parts.assert_result(9, expected);
    }
}

#[test]
pub fn work_groups_multiply_and_scan_bits() {
    let globals = "%group = OpConstant %uint 2";
    assert_eq!(answer::<u32>(cl::CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT), [cl::CL_TRUE]);
    // One work-item: the rest is compared where kernels are executed by thousands.
    for (body, expected) in [
        ("%r = OpGroupIMulKHR %uint %group Reduce %x", 9),
        ("%r = OpGroupBitwiseAndKHR %uint %group ExclusiveScan %x", u32::MAX),
        ("%r = OpGroupBitwiseXorKHR %uint %group InclusiveScan %x", 9),
        (
            "%o = OpIEqual %bool %x %c8\n%q = OpGroupLogicalOrKHR %bool %group Reduce %o\n%r = OpSelect %uint %q %c8 %c4",
            4,
        ),
    ] {
        let parts = Parts {
            capabilities: "OpCapability GroupUniformArithmeticKHR",
            extensions: "OpExtension \"SPV_KHR_uniform_group_instructions\"",
            globals,
            body,
            ..Parts::default()
        };
        parts.assert_result(9, expected);
    }
}

#[test]
pub fn a_barrier_comes_in_two_parts() {
    let parts = Parts {
        capabilities: "OpCapability SplitBarrierINTEL",
        extensions: "OpExtension \"SPV_INTEL_split_barrier\"",
        globals: "%group = OpConstant %uint 2\n%order = OpConstant %uint 0x308",
        body: "OpControlBarrierArriveINTEL %group %group %order\n%r = OpIAdd %uint %x %c1\n\
               OpControlBarrierWaitINTEL %group %group %order",
        ..Parts::default()
    };
    parts.assert_result(9, 10);
}

#[test]
pub fn kernels_read_clocks() {
    let all = cl::CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR
        | cl::CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR
        | cl::CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR;
    assert_eq!(answer::<u64>(cl::CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR), [all]);
    // Who looks again sees that time has passed.
    let parts = Parts {
        capabilities: "OpCapability ShaderClockKHR\nOpCapability Int64",
        extensions: "OpExtension \"SPV_KHR_shader_clock\"",
        globals: "%group = OpConstant %uint 2\n%sub = OpConstant %uint 3\n%ulong = OpTypeInt 64 0",
        body: "%a = OpReadClockKHR %ulong %c1\n%b = OpReadClockKHR %ulong %group\n%c = OpReadClockKHR %ulong %sub\n\
               %o = OpULessThanEqual %bool %a %b\n%q = OpULessThan %bool %a %c\n\
               %n = OpLogicalAnd %bool %o %q\n%r = OpSelect %uint %n %c8 %c4",
        ..Parts::default()
    };
    parts.assert_result(0, 8);
}

#[test]
pub fn a_sub_group_size_is_required() {
    assert_eq!(answer::<usize>(cl::CL_DEVICE_SUB_GROUP_SIZES_INTEL), [4, 8, 16, 32, 64]);
    let body = "%r = OpIAdd %uint %x %c1";
    let mode = |size: u32| format!("OpExecutionMode %k SubgroupSize {size}");
    let words = |size| {
        let modes = mode(size);
        // Execution modes come before debug instructions.
        Parts { capabilities: "OpCapability SubgroupDispatch", debug: &modes, body, ..Parts::default() }.words()
    };
    let session = oxicl_tests::session();
    let log = Program::build(&session.context, &words(12), "").map(|_| ()).unwrap_err().to_string();
    assert!(log.contains("SubgroupSize") && log.contains("12"), "{log}");

    let setup = Setup::new();
    let words = words(32);
    let program = create!(clCreateProgramWithIL(setup.context, words.as_ptr().cast(), words.len()));
    ok!(clBuildProgram(program, 0, std::ptr::null(), std::ptr::null(), None, null_mut()));
    let kernel = create!(clCreateKernel(program, c"k".as_ptr()));
    let local = 100usize;
    for (name, input, expected) in [
        (cl::CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL, None, 32),
        (cl::CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, Some(&local), 32),
        (cl::CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, Some(&local), 4),
    ] {
        let mut answer = 0usize;
        ok!(clGetKernelSubGroupInfo(
            kernel,
            setup.device,
            name,
            input.map_or(0, size_of_val),
            input.map_or(std::ptr::null(), |size| std::ptr::from_ref(size).cast()),
            size_of::<usize>(),
            (&raw mut answer).cast(),
            null_mut(),
        ));
        assert_eq!(answer, expected);
    }
    let mut spilled = 1u64;
    ok!(clGetKernelWorkGroupInfo(
        kernel,
        setup.device,
        cl::CL_KERNEL_SPILL_MEM_SIZE_INTEL,
        8,
        (&raw mut spilled).cast(),
        null_mut(),
    ));
    assert_eq!(spilled, 0);
    ok!(clReleaseKernel(kernel));
    ok!(clReleaseProgram(program));
}

/// A kernel `k(global uint *data)` whose sub-groups are of two sides, with a named barrier each, which a function makes. In
/// each turn, of which the first side has five and the other three, a work-item adds to its number thrice that of the one
/// `size` further on its side.
fn two_sides(size: usize) -> Vec<u8> {
    let text = format!(
        "OpCapability Addresses\nOpCapability Kernel\nOpCapability Int64\nOpCapability SubgroupDispatch\n\
         OpCapability NamedBarrier\nOpMemoryModel Physical64 OpenCL\n\
         OpEntryPoint Kernel %k \"k\" %global_id %local_id %local_size %number %count %shared\n\
         OpExecutionMode %k SubgroupSize {size}\n\
         OpDecorate %global_id BuiltIn GlobalInvocationId\nOpDecorate %local_id BuiltIn LocalInvocationId\n\
         OpDecorate %local_size BuiltIn WorkgroupSize\n\
         OpDecorate %number BuiltIn SubgroupId\nOpDecorate %count BuiltIn NumSubgroups\n\
         %void = OpTypeVoid\n%bool = OpTypeBool\n%uint = OpTypeInt 32 0\n%ulong = OpTypeInt 64 0\n\
         %v3 = OpTypeVector %ulong 3\n%named = OpTypeNamedBarrier\n\
         %c0 = OpConstant %uint 0\n%c1 = OpConstant %uint 1\n%c2 = OpConstant %uint 2\n%c3 = OpConstant %uint 3\n\
         %c5 = OpConstant %uint 5\n%most = OpConstant %uint 256\n%size = OpConstant %uint {size}\n\
         %order = OpConstant %uint 0x108\n\
         %pg = OpTypePointer CrossWorkgroup %uint\n%pi = OpTypePointer Input %v3\n%pn = OpTypePointer Input %uint\n\
         %numbers = OpTypeArray %uint %most\n%ps = OpTypePointer Workgroup %numbers\n%pl = OpTypePointer Workgroup %uint\n\
         %kt = OpTypeFunction %void %pg\n%mt = OpTypeFunction %named %uint\n\
         %global_id = OpVariable %pi Input\n%local_id = OpVariable %pi Input\n%local_size = OpVariable %pi Input\n\
         %number = OpVariable %pn Input\n%count = OpVariable %pn Input\n%shared = OpVariable %ps Workgroup\n\
         %k = OpFunction %void None %kt\n%data = OpFunctionParameter %pg\n%entry = OpLabel\n\
         %global3 = OpLoad %v3 %global_id\n%global = OpCompositeExtract %ulong %global3 0\n\
         %local3 = OpLoad %v3 %local_id\n%local_wide = OpCompositeExtract %ulong %local3 0\n\
         %local = OpUConvert %uint %local_wide\n\
         %items3 = OpLoad %v3 %local_size\n%items_wide = OpCompositeExtract %ulong %items3 0\n\
         %items = OpUConvert %uint %items_wide\n\
         %own = OpLoad %uint %number\n%all = OpLoad %uint %count\n\
         %some = OpUDiv %uint %all %c2\n%others = OpISub %uint %all %some\n\
         %one = OpFunctionCall %named %make %some\n%two = OpFunctionCall %named %make %others\n\
         %middle = OpIMul %uint %some %size\n%rest = OpISub %uint %items %middle\n\
         %at = OpInBoundsPtrAccessChain %pg %data %global\n%given = OpLoad %uint %at Aligned 4\n\
         %is_first = OpULessThan %bool %own %some\n\
         OpBranchConditional %is_first %left %right\n\
         %left = OpLabel\nOpBranch %meet\n%right = OpLabel\nOpBranch %meet\n\
         %meet = OpLabel\n%side = OpPhi %named %one %left %two %right\n%start = OpPhi %uint %c0 %left %middle %right\n\
         %length = OpPhi %uint %middle %left %rest %right\n%turns = OpPhi %uint %c5 %left %c3 %right\n\
         %from_start = OpISub %uint %local %start\n%further = OpIAdd %uint %from_start %size\n\
         %wrapped = OpUMod %uint %further %length\n%next = OpIAdd %uint %start %wrapped\n\
         %mine = OpInBoundsAccessChain %pl %shared %local\n%its = OpInBoundsAccessChain %pl %shared %next\n\
         OpBranch %turn\n\
         %turn = OpLabel\n%t = OpPhi %uint %c0 %meet %t_next %turn\n%x = OpPhi %uint %given %meet %y %turn\n\
         OpStore %mine %x Aligned 4\nOpMemoryNamedBarrier %side %c2 %order\n\
         %seen = OpLoad %uint %its Aligned 4\nOpMemoryNamedBarrier %side %c2 %order\n\
         %thrice = OpIMul %uint %seen %c3\n%y = OpIAdd %uint %x %thrice\n%t_next = OpIAdd %uint %t %c1\n\
         %more = OpULessThan %bool %t_next %turns\nOpBranchConditional %more %turn %end\n\
         %end = OpLabel\nOpStore %at %y Aligned 4\nOpReturn\nOpFunctionEnd\n\
         %make = OpFunction %named None %mt\n%wanted = OpFunctionParameter %uint\n%body = OpLabel\n\
         %made = OpNamedBarrierInitialize %named %wanted\nOpReturnValue %made\nOpFunctionEnd\n"
    );
    assemble_as(&text, 6).unwrap_or_else(|log| panic!("{log}\n{text}"))
}

#[test]
pub fn sub_groups_wait_at_named_barriers() {
    assert!(answer::<u32>(cl::CL_DEVICE_MAX_NAMED_BARRIER_COUNT_KHR)[0] >= 8);
    let session = oxicl_tests::session();
    for (size, items, options) in [(8, 64, ""), (16, 144, ""), (4, 12, "-cl-opt-disable"), (32, 96, "")] {
        let program = Program::build(&session.context, &two_sides(size), options).unwrap_or_else(|e| panic!("{e}"));
        let kernel = program.kernel("k").unwrap();
        let data: Vec<u32> = (0..3 * items as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
        let buffer = Buffer::from_slice(&session.context, &data).unwrap();
        kernel.set_buffer(0, &buffer).unwrap();
        session.queue.launch(&kernel, [data.len()], Some([items])).unwrap();
        let middle = items / size / 2 * size;
        let mut expected = data;
        for group in expected.chunks_mut(items) {
            let (first, second) = group.split_at_mut(middle);
            for (side, turns) in [(first, 5), (second, 3)] {
                for _ in 0..turns {
                    let before = side.to_vec();
                    for (i, x) in side.iter_mut().enumerate() {
                        *x = x.wrapping_add(before[(i + size) % before.len()].wrapping_mul(3));
                    }
                }
            }
        }
        assert_eq!(session.queue.read(&buffer).unwrap(), expected, "{items} work-items, {size} a sub-group");
    }
}
