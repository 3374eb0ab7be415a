//! Extensions of sub-groups, in one that is a single work-item: each exchange gives what the work-item had. What more of
//! them do is compared where kernels are executed by thousands.

use std::ptr::null_mut;

use khronos_headers as cl;
use oxicl_tests::client::Program;

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
