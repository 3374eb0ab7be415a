//! Barriers for some of the sub-groups of a work-group.

use khronos_headers as cl;
use oxicl_tests::client::{Buffer, Error, Program};
use oxicl_tests::is_reference;
use oxicl_tests::offline::assemble_as;

use crate::api::answer;

/// A kernel `k(global uint *data)` with sub-groups of `size` work-items. `body` finds `%own` and `%all`, the number of its sub-group and
/// how many there are, `%some` and `%others`, half of these and the rest, `%local` and `%items`, the local id and size, `%middle`, the
/// first work-item of the second half, and `%at`, the address of `%given`. Functions:
///
/// - `%make(wanted)` makes a barrier.
/// - `%add(barrier, to, from, x)`: what a work-item has behind a round in which `x` is shared at `to`, and thrice what is shared at
///   `from` is added.
fn module(size: usize, body: &str) -> Vec<u8> {
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
         %c5 = OpConstant %uint 5\n%c100 = OpConstant %uint 100\n%most = OpConstant %uint 256\n\
         %size = OpConstant %uint {size}\n%order = OpConstant %uint 0x108\n\
         %pg = OpTypePointer CrossWorkgroup %uint\n%pi = OpTypePointer Input %v3\n%pn = OpTypePointer Input %uint\n\
         %numbers = OpTypeArray %uint %most\n%ps = OpTypePointer Workgroup %numbers\n%pl = OpTypePointer Workgroup %uint\n\
         %kt = OpTypeFunction %void %pg\n%mt = OpTypeFunction %named %uint\n\
         %at_type = OpTypeFunction %uint %named %uint %uint %uint\n\
         %global_id = OpVariable %pi Input\n%local_id = OpVariable %pi Input\n%local_size = OpVariable %pi Input\n\
         %number = OpVariable %pn Input\n%count = OpVariable %pn Input\n%shared = OpVariable %ps Workgroup\n\
         %k = OpFunction %void None %kt\n%data = OpFunctionParameter %pg\n%entry = OpLabel\n\
         %global3 = OpLoad %v3 %global_id\n%global = OpCompositeExtract %ulong %global3 0\n\
         %local3 = OpLoad %v3 %local_id\n%local_wide = OpCompositeExtract %ulong %local3 0\n\
         %local = OpUConvert %uint %local_wide\n\
         %items3 = OpLoad %v3 %local_size\n%items_wide = OpCompositeExtract %ulong %items3 0\n\
         %items = OpUConvert %uint %items_wide\n\
         %own = OpLoad %uint %number\n%all = OpLoad %uint %count\n\
         %some = OpUDiv %uint %all %c2\n%others = OpISub %uint %all %some\n%middle = OpIMul %uint %some %size\n\
         %at = OpInBoundsPtrAccessChain %pg %data %global\n%given = OpLoad %uint %at Aligned 4\n\
         {body}\nOpReturn\nOpFunctionEnd\n\
         %make = OpFunction %named None %mt\n%wanted = OpFunctionParameter %uint\n%make_body = OpLabel\n\
         %made = OpNamedBarrierInitialize %named %wanted\nOpReturnValue %made\nOpFunctionEnd\n\
         %add = OpFunction %uint None %at_type\n%barrier = OpFunctionParameter %named\n%to = OpFunctionParameter %uint\n\
         %from = OpFunctionParameter %uint\n%old = OpFunctionParameter %uint\n%add_body = OpLabel\n\
         %mine = OpInBoundsAccessChain %pl %shared %to\n%its = OpInBoundsAccessChain %pl %shared %from\n\
         OpStore %mine %old Aligned 4\nOpMemoryNamedBarrier %barrier %c2 %order\n\
         %seen = OpLoad %uint %its Aligned 4\nOpMemoryNamedBarrier %barrier %c2 %order\n\
         %thrice = OpIMul %uint %seen %c3\n%sum = OpIAdd %uint %old %thrice\nOpReturnValue %sum\nOpFunctionEnd\n"
    );
    assemble_as(&text, 6).unwrap_or_else(|log| panic!("{log}\n{text}"))
}

/// Two barriers, one for each half of the sub-groups: the first half meets five times, the other three.
const TWO_SIDES: &str = "%one = OpFunctionCall %named %make %some\n%two = OpFunctionCall %named %make %others\n\
    %rest = OpISub %uint %items %middle\n\
    %is_first = OpULessThan %bool %own %some\nOpBranchConditional %is_first %left %right\n\
    %left = OpLabel\nOpBranch %meet\n%right = OpLabel\nOpBranch %meet\n\
    %meet = OpLabel\n%side = OpPhi %named %one %left %two %right\n%start = OpPhi %uint %c0 %left %middle %right\n\
    %length = OpPhi %uint %middle %left %rest %right\n%rounds = OpPhi %uint %c5 %left %c3 %right\n\
    %from_start = OpISub %uint %local %start\n%further = OpIAdd %uint %from_start %size\n\
    %wrapped = OpUMod %uint %further %length\n%next = OpIAdd %uint %start %wrapped\nOpBranch %round\n\
    %round = OpLabel\n%r = OpPhi %uint %c0 %meet %r_next %round\n%x = OpPhi %uint %given %meet %y %round\n\
    %y = OpFunctionCall %uint %add %side %local %next %x\n%r_next = OpIAdd %uint %r %c1\n\
    %more = OpULessThan %bool %r_next %rounds\nOpBranchConditional %more %round %end\n\
    %end = OpLabel\nOpStore %at %y Aligned 4";

/// A hundred barriers, one in each iteration, for the first half of the sub-groups. The others never wait.
const A_BARRIER_A_ROUND: &str = "%further = OpIAdd %uint %local %size\n%next = OpUMod %uint %further %middle\n\
    %is_first = OpULessThan %bool %own %some\nOpBranch %round\n\
    %round = OpLabel\n%r = OpPhi %uint %c0 %entry %r_next %on\n%x = OpPhi %uint %given %entry %y %on\n\
    %side = OpNamedBarrierInitialize %named %some\nOpBranchConditional %is_first %meet %on\n\
    %meet = OpLabel\n%met = OpFunctionCall %uint %add %side %local %next %x\nOpBranch %on\n\
    %on = OpLabel\n%y = OpPhi %uint %x %round %met %meet\n%r_next = OpIAdd %uint %r %c1\n\
    %more = OpULessThan %bool %r_next %c100\nOpBranchConditional %more %round %end\n\
    %end = OpLabel\nOpStore %at %y Aligned 4";

/// A barrier for all sub-groups, to which the first half does not come: it has returned, or waits at the barrier of the work-group.
const SOME_STAY_AWAY: &str = "%one = OpFunctionCall %named %make %all\n%is_first = OpULessThan %bool %own %some\n\
    OpBranchConditional %is_first %away %meet\n\
    %meet = OpLabel\n%more = OpIAdd %uint %given %c1\nOpStore %at %more Aligned 4\n\
    OpMemoryNamedBarrier %one %c2 %order\nOpBranch %away\n\
    %away = OpLabel\n%x = OpPhi %uint %given %entry %more %meet\nAWAY%y = OpIAdd %uint %x %c5\nOpStore %at %y Aligned 4";

/// What `rounds` rounds make of one side of a work-group.
fn meet(side: &mut [u32], size: usize, rounds: usize) {
    for _ in 0..rounds {
        let before = side.to_vec();
        for (i, x) in side.iter_mut().enumerate() {
            *x = x.wrapping_add(before[(i + size) % before.len()].wrapping_mul(3));
        }
    }
}

/// Sizes of sub-groups and work-groups, and options.
const WAYS: [(usize, usize, &str); 6] = [
    (8, 64, ""),
    (16, 144, ""),
    (4, 12, "-cl-opt-disable"),
    (32, 96, ""),
    (8, 64, "-oxicl-lanes=1"),
    (16, 144, "-oxicl-lanes=32"),
];

/// What three work-groups of a kernel make of numbers, and the numbers.
fn run(body: &str, (size, items, options): (usize, usize, &str)) -> (Result<Vec<u32>, Error>, Vec<u32>) {
    let session = oxicl_tests::session();
    let program = Program::build(&session.context, &module(size, body), options).unwrap_or_else(|e| panic!("{e}"));
    let kernel = program.kernel("k").unwrap();
    let data: Vec<u32> = (0..3 * items as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    let buffer = Buffer::from_slice(&session.context, &data).unwrap();
    kernel.set_buffer(0, &buffer).unwrap();
    let launched = session.queue.launch_with_event(&kernel, [data.len()], Some([items])).unwrap();
    (launched.wait().and_then(|()| session.queue.read(&buffer)), data)
}

#[test]
pub fn sub_groups_wait_at_named_barriers() {
    assert!(answer::<u32>(cl::CL_DEVICE_MAX_NAMED_BARRIER_COUNT_KHR)[0] >= 8);
    for way @ (size, items, _) in WAYS {
        let (found, mut expected) = run(TWO_SIDES, way);
        for group in expected.chunks_mut(items) {
            let (first, second) = group.split_at_mut(items / size / 2 * size);
            meet(first, size, 5);
            meet(second, size, 3);
        }
        assert_eq!(found.unwrap(), expected, "{way:?}");
    }
}

#[test]
fn a_loop_makes_and_uses_a_barrier_in_each_iteration() {
    for way @ (size, items, _) in WAYS {
        let (found, mut expected) = run(A_BARRIER_A_ROUND, way);
        for group in expected.chunks_mut(items) {
            meet(&mut group[..items / size / 2 * size], size, 100);
        }
        assert_eq!(found.unwrap(), expected, "{way:?}");
    }
}

#[test]
fn who_waits_for_sub_groups_that_do_not_come_goes_on_in_the_end() {
    let at_barrier = "OpControlBarrier %c2 %c2 %order\n";
    for (away, way) in ["", at_barrier].into_iter().flat_map(|away| WAYS.map(|way| (away, way))) {
        let (size, items, _) = way;
        let (found, mut expected) = run(&SOME_STAY_AWAY.replace("AWAY", away), way);
        if is_reference() {
            assert!(found.is_err(), "the reference device finds it");
            continue;
        }
        for (i, x) in expected.iter_mut().enumerate() {
            let comes = i % items >= items / size / 2 * size;
            *x = x.wrapping_add(if comes { 6 } else { 5 });
        }
        assert_eq!(found.unwrap(), expected, "{way:?}");
    }
}
