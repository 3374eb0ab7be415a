//! Sub-groups of one work-item: every operation, one kernel for all of them.

use std::fmt::Write as _;

use crate::harness::{Cell, Random, SAMPLES, execute_module};

/// What a row stores, from the work-item's `a` and `b`.
type Expected = fn(u32, u32) -> u32;

/// Instructions that compute `%r` of type `%uint` from `%a` and `%b`, and what it is.
const ROWS: &[(&str, Expected)] = &[
    ("%p = OpGroupNonUniformElect %bool %sub\n%r = OpSelect %uint %p %c1 %c0", |_, _| 1),
    ("%o = OpULessThan %bool %a %b\n%p = OpGroupNonUniformAll %bool %sub %o\n%r = OpSelect %uint %p %a %b", u32::min),
    ("%o = OpULessThan %bool %a %b\n%p = OpGroupNonUniformAny %bool %sub %o\n%r = OpSelect %uint %p %a %b", u32::min),
    ("%o = OpULessThan %bool %a %b\n%p = OpGroupAll %bool %sub %o\n%r = OpSelect %uint %p %b %a", u32::max),
    ("%o = OpULessThan %bool %a %b\n%p = OpGroupAny %bool %sub %o\n%r = OpSelect %uint %p %b %a", u32::max),
    ("%p = OpGroupNonUniformAllEqual %bool %sub %a\n%r = OpSelect %uint %p %c1 %c0", |_, _| 1),
    // A NaN is equal to nothing.
    (
        "%f = OpBitcast %float %a\n%p = OpGroupNonUniformAllEqual %bool %sub %f\n%r = OpSelect %uint %p %c1 %c0",
        |a, _| u32::from(!f32::from_bits(a).is_nan()),
    ),
    ("%r = OpGroupBroadcast %uint %sub %a %c0", |a, _| a),
    ("%r = OpGroupBroadcast %uint %sub %a %zero", |a, _| a),
    ("%v = OpCompositeConstruct %v3 %zero %zero %zero\n%r = OpGroupBroadcast %uint %sub %b %v", |_, b| b),
    (
        "%v = OpCompositeConstruct %v4 %a %b %a %b\n%w = OpGroupBroadcast %v4 %sub %v %c0\n%r = OpCompositeExtract %uint %w 3",
        |_, b| b,
    ),
    ("%r = OpGroupNonUniformBroadcast %uint %sub %a %c0", |a, _| a),
    ("%r = OpGroupNonUniformBroadcastFirst %uint %sub %a", |a, _| a),
    (
        "%o = OpULessThan %bool %a %b\n%v = OpGroupNonUniformBallot %v4 %sub %o\n%r = OpCompositeExtract %uint %v 0",
        |a, b| u32::from(a < b),
    ),
    ("%v = OpGroupNonUniformBallot %v4 %sub %true\n%r = OpCompositeExtract %uint %v 1", |_, _| 0),
    (
        "%v = OpCompositeConstruct %v4 %a %b %a %b\n%p = OpGroupNonUniformInverseBallot %bool %sub %v\n%r = OpSelect %uint %p %c1 %c0",
        |a, _| a & 1,
    ),
    (
        "%v = OpCompositeConstruct %v4 %a %b %b %b\n%p = OpGroupNonUniformBallotBitExtract %bool %sub %v %b\n%r = OpSelect %uint %p %c1 %c0",
        |a, b| (if b % 128 < 32 { a } else { b }) >> (b % 32) & 1,
    ),
    ("%v = OpCompositeConstruct %v4 %a %b %a %b\n%r = OpGroupNonUniformBallotBitCount %uint %sub Reduce %v", |a, _| {
        a & 1
    }),
    (
        "%v = OpCompositeConstruct %v4 %a %b %a %b\n%r = OpGroupNonUniformBallotBitCount %uint %sub InclusiveScan %v",
        |a, _| a & 1,
    ),
    (
        "%v = OpCompositeConstruct %v4 %a %b %a %b\n%r = OpGroupNonUniformBallotBitCount %uint %sub ExclusiveScan %v",
        |_, _| 0,
    ),
    ("%v = OpGroupNonUniformBallot %v4 %sub %true\n%r = OpGroupNonUniformBallotFindLSB %uint %sub %v", |_, _| 0),
    ("%v = OpGroupNonUniformBallot %v4 %sub %true\n%r = OpGroupNonUniformBallotFindMSB %uint %sub %v", |_, _| 0),
    ("%r = OpGroupNonUniformShuffle %uint %sub %a %c0", |a, _| a),
    ("%r = OpGroupNonUniformShuffleXor %uint %sub %a %c0", |a, _| a),
    ("%r = OpGroupNonUniformShuffleUp %uint %sub %a %c0", |a, _| a),
    ("%r = OpGroupNonUniformShuffleDown %uint %sub %a %c0", |a, _| a),
    ("%r = OpGroupNonUniformRotateKHR %uint %sub %a %b", |a, _| a),
    ("%r = OpGroupNonUniformRotateKHR %uint %sub %a %b %c1", |a, _| a),
    ("%r = OpSubgroupShuffleINTEL %uint %a %c0", |a, _| a),
    (
        "%v = OpCompositeConstruct %v4 %a %b %a %b\n%w = OpSubgroupShuffleXorINTEL %v4 %v %c0\n%r = OpCompositeExtract %uint %w 1",
        |_, b| b,
    ),
    (
        "%d = OpBitwiseAnd %uint %a %c1\n%r = OpSubgroupShuffleDownINTEL %uint %a %b %d",
        |a, b| if a & 1 == 0 { a } else { b },
    ),
    (
        "%d = OpBitwiseAnd %uint %a %c1\n%r = OpSubgroupShuffleUpINTEL %uint %a %b %d",
        |a, b| if a & 1 == 0 { b } else { a },
    ),
    ("%r = OpSubgroupBlockReadINTEL %uint %ppa", |a, _| a),
    ("OpSubgroupBlockWriteINTEL %ppo %a\n%r = OpLoad %uint %ppo Aligned 4", |a, _| a),
    // A block of two is two elements in a row; the second is the next work-item's, or, for the last, what follows.
    ("%v = OpSubgroupBlockReadINTEL %v2 %ppa\n%r = OpCompositeExtract %uint %v 0", |a, _| a),
    ("%r = OpLoad %uint %size", |_, _| 1),
    ("%r = OpLoad %uint %max_size", |_, _| 1),
    ("%r = OpLoad %uint %lane", |_, _| 0),
    ("%n = OpLoad %uint %count\n%e = OpLoad %uint %enqueued\n%r = OpISub %uint %n %e", |_, _| 0),
    ("%n = OpLoad %uint %count\n%r = OpCopyObject %uint %n", |_, _| 50),
    ("%n = OpLoad %uint %number\n%s = OpUMod %uint %i32 %c50\n%r = OpISub %uint %n %s", |_, _| 0),
    ("%v = OpLoad %v4 %eq\n%r = OpCompositeExtract %uint %v 0", |_, _| 1),
    ("%v = OpLoad %v4 %ge\n%r = OpCompositeExtract %uint %v 0", |_, _| 1),
    ("%v = OpLoad %v4 %gt\n%r = OpCompositeExtract %uint %v 0", |_, _| 0),
    ("%v = OpLoad %v4 %le\n%r = OpCompositeExtract %uint %v 0", |_, _| 1),
    ("%v = OpLoad %v4 %lt\n%r = OpCompositeExtract %uint %v 0", |_, _| 0),
    (
        "OpControlBarrier %sub %sub %acq_rel\nOpControlBarrier %sub %group %acq_rel\n%r = OpCopyObject %uint %a",
        |a, _| a,
    ),
    // The clock does not go back.
    (
        "%x = OpReadClockKHR %ulong %sub\n%y = OpReadClockKHR %ulong %group\n%o = OpULessThanEqual %bool %x %y\n%r = OpSelect %uint %o %c1 %c0",
        |_, _| 1,
    ),
    (
        "%v = OpReadClockKHR %v2 %c1\n%x = OpBitcast %ulong %v\n%y = OpReadClockKHR %ulong %c1\n%o = OpULessThanEqual %bool %x %y\n%r = OpSelect %uint %o %c1 %c0",
        |_, _| 1,
    ),
];

/// Reductions and scans: instruction, type, and the bits of the identity.
const ARITHMETIC: &[(&str, &str, u64)] = &[
    ("IAdd", "uint", 0),
    ("IMul", "uint", 1),
    ("SMin", "uint", 0x7fff_ffff),
    ("UMin", "uint", 0xffff_ffff),
    ("SMax", "uint", 0x8000_0000),
    ("UMax", "uint", 0),
    ("BitwiseAnd", "uint", 0xffff_ffff),
    ("BitwiseOr", "uint", 0),
    ("BitwiseXor", "uint", 0),
    ("IAdd", "uchar", 0),
    ("SMin", "uchar", 0x7f),
    ("SMax", "ushort", 0x8000),
    ("UMin", "ushort", 0xffff),
    ("SMin", "ulong", 0x7fff_ffff_ffff_ffff),
    ("UMin", "ulong", u64::MAX),
    ("FAdd", "float", 0),
    ("FMul", "float", 0x3f80_0000),
    ("FMin", "float", 0x7f80_0000),
    ("FMax", "float", 0xff80_0000),
    ("FMin", "half", 0x7c00),
    ("FMul", "half", 0x3c00),
    ("FMax", "double", 0xfff0_0000_0000_0000),
    ("FMul", "double", 0x3ff0_0000_0000_0000),
];

/// A row whose expectation depends on more.
type Row = (String, Box<dyn Fn(u32, u32) -> u32>);

/// The instructions that OpGroup* has, at the scope of the sub-group.
const UNIFORM: &[&str] = &["IAdd", "FAdd", "FMin", "UMin", "SMin", "FMax", "UMax", "SMax"];

fn bits(ty: &str) -> u32 {
    match ty {
        "uchar" => 8,
        "ushort" | "half" => 16,
        "ulong" | "double" => 64,
        _ => 32,
    }
}

/// Instructions that give `%r` the lower half of the result of a reduction or scan of `%a`, and what that is.
fn arithmetic(op: &str, operation: &str, ty: &str, identity: u64) -> Row {
    let (width, int) = (bits(ty), ["uchar", "ushort", "uint", "ulong"][bits(ty).ilog2() as usize - 3]);
    let mut text =
        if width == 32 { "%n = OpCopyObject %uint %a\n".to_owned() } else { format!("%n = OpUConvert %{int} %a\n") };
    let cluster = if operation == "ClusteredReduce" { " %c1" } else { "" };
    let value = if ty == int { "%n" } else { "%x" };
    if ty != int {
        let _ = writeln!(text, "%x = OpBitcast %{ty} %n");
    }
    let _ = writeln!(text, "%y = {op} %{ty} %sub {operation} {value}{cluster}");
    let result = if ty == int { "%y" } else { "%z" };
    if ty != int {
        let _ = writeln!(text, "%z = OpBitcast %{int} %y");
    }
    let convert = if width == 32 { "OpCopyObject" } else { "OpUConvert" };
    let _ = writeln!(text, "%r = {convert} %uint {result}");
    let mask = if width >= 32 { u32::MAX } else { (1 << width) - 1 };
    let exclusive = operation == "ExclusiveScan";
    (text, Box::new(move |a, _| if exclusive { identity as u32 } else { a & mask }))
}

/// Work-items of a work-group of the harness.
const GROUP: usize = 50;

/// What a row stores in a work-group, from the `a` and `b` of its work-items and the local id.
type InGroup = fn(&[(u32, u32)], usize) -> u32;

fn floats(items: &[(u32, u32)]) -> impl Iterator<Item = f32> {
    items.iter().map(|item| item.0 as f32)
}

fn doubles(items: &[(u32, u32)]) -> impl Iterator<Item = f64> {
    items.iter().map(|item| 1.0 + f64::from(item.0) / 4_294_967_296.0)
}

fn low(value: f64) -> u32 {
    value.to_bits() as u32
}

/// Instructions in the work-group.
const IN_GROUP: &[(&str, InGroup)] = &[
    ("%o = OpULessThan %bool %a %b\n%p = OpGroupAll %bool %group %o\n%r = OpSelect %uint %p %c1 %c0", |g, _| {
        u32::from(g.iter().all(|(a, b)| a < b))
    }),
    ("%o = OpUGreaterThan %bool %a %c0\n%p = OpGroupAny %bool %group %o\n%r = OpSelect %uint %p %c1 %c0", |g, _| {
        u32::from(g.iter().any(|(a, _)| *a > 0))
    }),
    ("%r = OpGroupBroadcast %uint %group %a %zero", |g, _| g[0].0),
    ("%l = OpUMod %uint %c50 %c7\n%r = OpGroupBroadcast %uint %group %b %l", |g, _| g[1].1),
    (
        "%v = OpCompositeConstruct %v3 %seven %zero %zero\n%w = OpCompositeConstruct %v4 %a %b %a %b\n%x = OpGroupBroadcast %v4 %group %w %v\n%r = OpCompositeExtract %uint %x 1",
        |g, _| g[7].1,
    ),
    // A local id that no work-item has.
    ("%r = OpGroupBroadcast %uint %group %a %c50", |_, _| 0),
    ("%r = OpGroupIAdd %uint %group Reduce %a", |g, _| g.iter().fold(0, |s, x| s.wrapping_add(x.0))),
    ("%r = OpGroupIAdd %uint %group InclusiveScan %a", |g, i| g[..=i].iter().fold(0, |s, x| s.wrapping_add(x.0))),
    ("%r = OpGroupIAdd %uint %group ExclusiveScan %a", |g, i| g[..i].iter().fold(0, |s, x| s.wrapping_add(x.0))),
    ("%r = OpGroupSMin %uint %group Reduce %a", |g, _| g.iter().map(|x| x.0 as i32).min().unwrap() as u32),
    ("%r = OpGroupUMin %uint %group InclusiveScan %a", |g, i| g[..=i].iter().map(|x| x.0).min().unwrap()),
    ("%r = OpGroupSMax %uint %group ExclusiveScan %a", |g, i| {
        g[..i].iter().map(|x| x.0 as i32).max().unwrap_or(i32::MIN) as u32
    }),
    ("%r = OpGroupUMax %uint %group Reduce %a", |g, _| g.iter().map(|x| x.0).max().unwrap()),
    ("%n = OpUConvert %uchar %a\n%x = OpGroupIAdd %uchar %group InclusiveScan %n\n%r = OpUConvert %uint %x", |g, i| {
        u32::from(g[..=i].iter().fold(0u8, |s, x| s.wrapping_add(x.0 as u8)))
    }),
    (
        "%n = OpUConvert %ulong %a\n%x = OpGroupIAdd %ulong %group Reduce %n\n%y = OpShiftRightLogical %ulong %x %c16\n%r = OpUConvert %uint %y",
        |g, _| (g.iter().map(|x| u64::from(x.0)).sum::<u64>() >> 16) as u32,
    ),
    ("%f = OpConvertUToF %float %a\n%x = OpGroupFAdd %float %group Reduce %f\n%r = OpBitcast %uint %x", |g, _| {
        floats(g).reduce(|s, x| s + x).unwrap().to_bits()
    }),
    (
        "%f = OpConvertUToF %float %a\n%x = OpGroupFAdd %float %group InclusiveScan %f\n%r = OpBitcast %uint %x",
        |g, i| floats(&g[..=i]).reduce(|s, x| s + x).unwrap().to_bits(),
    ),
    (
        "%f = OpConvertUToF %float %a\n%x = OpGroupFMin %float %group ExclusiveScan %f\n%r = OpBitcast %uint %x",
        |g, i| floats(&g[..i]).reduce(f32::min).unwrap_or(f32::INFINITY).to_bits(),
    ),
    // Of -0.0 alone.
    ("%f = OpBitcast %float %minus\n%x = OpGroupFAdd %float %group Reduce %f\n%r = OpBitcast %uint %x", |_, _| 1 << 31),
    // Bit patterns may be no numbers, which lose to numbers.
    (
        "%f = OpBitcast %float %b\n%n = OpIsNan %bool %f\n%x = OpGroupFMax %float %group Reduce %f\n%y = OpBitcast %uint %x\n%r = OpShiftRightLogical %uint %y %c1",
        |g, _| {
            let bits = g.iter().map(|x| f32::from_bits(x.1)).reduce(|s, x| if x > s || s.is_nan() { x } else { s });
            bits.unwrap().to_bits() >> 1
        },
    ),
    (
        "%f = OpConvertUToF %double %a\n%d = OpFMul %double %f %tiny\n%e = OpFAdd %double %d %one\n%x = OpGroupFMulKHR %double %group InclusiveScan %e\n%y = OpBitcast %ulong %x\n%r = OpUConvert %uint %y",
        |g, i| low(doubles(&g[..=i]).reduce(|s, x| s * x).unwrap()),
    ),
    ("%r = OpGroupIMulKHR %uint %group ExclusiveScan %a", |g, i| g[..i].iter().fold(1, |s, x| s.wrapping_mul(x.0))),
    ("%r = OpGroupBitwiseAndKHR %uint %group Reduce %a", |g, _| g.iter().fold(u32::MAX, |s, x| s & x.0)),
    ("%r = OpGroupBitwiseOrKHR %uint %group ExclusiveScan %a", |g, i| g[..i].iter().fold(0, |s, x| s | x.0)),
    ("%r = OpGroupBitwiseXorKHR %uint %group InclusiveScan %a", |g, i| g[..=i].iter().fold(0, |s, x| s ^ x.0)),
    (
        "%o = OpULessThan %bool %a %b\n%p = OpGroupLogicalAndKHR %bool %group ExclusiveScan %o\n%r = OpSelect %uint %p %c1 %c0",
        |g, i| u32::from(g[..i].iter().all(|(a, b)| a < b)),
    ),
    (
        "%o = OpULessThan %bool %a %b\n%p = OpGroupLogicalOrKHR %bool %group InclusiveScan %o\n%r = OpSelect %uint %p %c1 %c0",
        |g, i| u32::from(g[..=i].iter().any(|(a, b)| a < b)),
    ),
    (
        "%o = OpULessThan %bool %a %b\n%p = OpGroupLogicalXorKHR %bool %group Reduce %o\n%r = OpSelect %uint %p %c1 %c0",
        |g, _| u32::from(g.iter().filter(|(a, b)| a < b).count() % 2 == 1),
    ),
    // A barrier in two parts: what all wrote before the first is there behind the second.
    (
        "%l = OpUMod %uint %i32 %c50\n%p = OpInBoundsAccessChain %local %shared %l\nOpStore %p %a\n\
         OpControlBarrierArriveINTEL %group %group %acq_rel\n%n = OpIMul %uint %b %c7\n\
         OpControlBarrierWaitINTEL %group %group %acq_rel\n%x = OpIAdd %uint %l %c7\n%y = OpUMod %uint %x %c50\n\
         %z = OpInBoundsAccessChain %local %shared %y\n%d = OpLoad %uint %z\n%r = OpIAdd %uint %d %n\n\
         OpControlBarrier %group %group %acq_rel",
        |g, i| g[(i + 7) % GROUP].0.wrapping_add(g[i].1.wrapping_mul(7)),
    ),
];

const HEAD: &str = "OpCapability Addresses\nOpCapability Kernel\nOpCapability Int8\nOpCapability Int16\n\
    OpCapability Int64\nOpCapability Float16\nOpCapability Float64\nOpCapability Groups\nOpCapability SubgroupDispatch\n\
    OpCapability GroupNonUniform\nOpCapability GroupNonUniformVote\nOpCapability GroupNonUniformArithmetic\n\
    OpCapability GroupNonUniformBallot\nOpCapability GroupNonUniformShuffle\n\
    OpCapability GroupNonUniformShuffleRelative\nOpCapability GroupNonUniformClustered\n\
    OpCapability GroupNonUniformRotateKHR\nOpCapability SubgroupShuffleINTEL\n\
    OpCapability SubgroupBufferBlockIOINTEL\nOpCapability GroupUniformArithmeticKHR\n\
    OpCapability SplitBarrierINTEL\nOpCapability ShaderClockKHR\n\
    OpExtension \"SPV_INTEL_split_barrier\"\nOpExtension \"SPV_KHR_shader_clock\"\n\
    OpExtension \"SPV_KHR_uniform_group_instructions\"\nOpExtension \"SPV_KHR_subgroup_rotate\"\n\
    OpExtension \"SPV_INTEL_subgroups\"\nOpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %k \"k\" %gid %size %max_size \
    %count %enqueued %number %lane %eq %ge %gt %le %lt %shared\n\
    OpExecutionMode %k SubgroupSize 1\n";

const BUILT_INS: &[(&str, &str, &str)] = &[
    ("gid", "GlobalInvocationId", "v3"),
    ("size", "SubgroupSize", "uint"),
    ("max_size", "SubgroupMaxSize", "uint"),
    ("count", "NumSubgroups", "uint"),
    ("enqueued", "NumEnqueuedSubgroups", "uint"),
    ("number", "SubgroupId", "uint"),
    ("lane", "SubgroupLocalInvocationId", "uint"),
    ("eq", "SubgroupEqMask", "v4"),
    ("ge", "SubgroupGeMask", "v4"),
    ("gt", "SubgroupGtMask", "v4"),
    ("le", "SubgroupLeMask", "v4"),
    ("lt", "SubgroupLtMask", "v4"),
];

/// A module whose kernel `k(a, b, out)` stores the results of all rows, one after the other for each work-item.
fn module(rows: &[String]) -> String {
    let mut text = HEAD.to_owned();
    for (name, built_in, _) in BUILT_INS {
        let _ = writeln!(text, "OpDecorate %{name} BuiltIn {built_in}");
    }
    text.push_str(
        "%void = OpTypeVoid\n%bool = OpTypeBool\n%uchar = OpTypeInt 8 0\n%ushort = OpTypeInt 16 0\n\
         %uint = OpTypeInt 32 0\n%ulong = OpTypeInt 64 0\n%half = OpTypeFloat 16\n%float = OpTypeFloat 32\n\
         %double = OpTypeFloat 64\n%v2 = OpTypeVector %uint 2\n%v3 = OpTypeVector %ulong 3\n\
         %v4 = OpTypeVector %uint 4\n%true = OpConstantTrue %bool\n%c0 = OpConstant %uint 0\n%c1 = OpConstant %uint 1\n\
         %sub = OpConstant %uint 3\n%group = OpConstant %uint 2\n%c50 = OpConstant %uint 50\n\
         %c7 = OpConstant %uint 7\n%c16 = OpConstant %uint 16\n%minus = OpConstant %uint 0x80000000\n\
         %seven = OpConstant %ulong 7\n%one = OpConstant %double 1\n%tiny = OpConstant %double 0x1p-32\n\
         %acq_rel = OpConstant %uint 0x388\n%zero = OpConstant %ulong 0\n\
         %ptr = OpTypePointer CrossWorkgroup %uint\n%in_uint = OpTypePointer Input %uint\n\
         %local = OpTypePointer Workgroup %uint\n%array = OpTypeArray %uint %c50\n\
         %locals = OpTypePointer Workgroup %array\n%shared = OpVariable %locals Workgroup\n\
         %in_v3 = OpTypePointer Input %v3\n%in_v4 = OpTypePointer Input %v4\n%ty = OpTypeFunction %void %ptr %ptr %ptr\n",
    );
    let _ = writeln!(text, "%rows = OpConstant %ulong {}", rows.len());
    for (name, _, ty) in BUILT_INS {
        let _ = writeln!(text, "%{name} = OpVariable %in_{ty} Input");
    }
    for row in 0..rows.len() {
        let _ = writeln!(text, "%row{row} = OpConstant %ulong {row}");
    }
    text.push_str(
        "%k = OpFunction %void None %ty\n%pa = OpFunctionParameter %ptr\n%pb = OpFunctionParameter %ptr\n\
         %po = OpFunctionParameter %ptr\n%entry = OpLabel\n%ids = OpLoad %v3 %gid\n\
         %i = OpCompositeExtract %ulong %ids 0\n%i32 = OpUConvert %uint %i\n%first = OpIMul %ulong %i %rows\n\
         %ppa = OpInBoundsPtrAccessChain %ptr %pa %i\n%ppb = OpInBoundsPtrAccessChain %ptr %pb %i\n\
         %a = OpLoad %uint %ppa\n%b = OpLoad %uint %ppb\n",
    );
    for (number, row) in rows.iter().enumerate() {
        // Names of one row are no other's.
        let local = ["%r", "%p", "%o", "%f", "%v", "%w", "%d", "%n", "%e", "%s", "%x", "%y", "%z", "%l", "%ppo"];
        let _ = writeln!(
            text,
            "%at_{number} = OpIAdd %ulong %first %row{number}\n\
             %ppo_{number} = OpInBoundsPtrAccessChain %ptr %po %at_{number}"
        );
        for line in row.lines() {
            let words = line
                .split_whitespace()
                .map(|word| if local.contains(&word) { format!("{word}_{number}") } else { word.to_owned() });
            text.push_str(&words.collect::<Vec<_>>().join(" "));
            text.push('\n');
        }
        let _ = writeln!(text, "OpStore %ppo_{number} %r_{number} Aligned 4");
    }
    text.push_str("OpReturn\nOpFunctionEnd\n");
    text
}

#[test]
fn a_sub_group_of_one_is_its_only_work_item() {
    let mut rows: Vec<Row> = Vec::new();
    for (text, expected) in ROWS {
        rows.push(((*text).to_owned(), Box::new(expected)));
    }
    for (op, ty, identity) in ARITHMETIC {
        for operation in ["Reduce", "InclusiveScan", "ExclusiveScan", "ClusteredReduce"] {
            rows.push(arithmetic(&format!("OpGroupNonUniform{op}"), operation, ty, *identity));
            if UNIFORM.contains(op) && operation != "ClusteredReduce" {
                rows.push(arithmetic(&format!("OpGroup{op}"), operation, ty, *identity));
            }
        }
    }
    let texts: Vec<String> = rows.iter().map(|row| row.0.clone()).collect();
    assert_rows(&texts, |items, item, row| rows[row].1(items[item].0, items[item].1));
}

#[test]
fn work_groups_combine_in_the_order_of_local_ids() {
    let texts: Vec<String> = IN_GROUP.iter().map(|row| row.0.to_owned()).collect();
    assert_rows(&texts, |items, item, row| {
        let start = item / GROUP * GROUP;
        IN_GROUP[row].1(&items[start..start + GROUP], item % GROUP)
    });
}

/// Executes rows over samples of `a` and `b` and compares with `expected` of all samples, a work-item and a row.
fn assert_rows(texts: &[String], expected: impl Fn(&[(u32, u32)], usize, usize) -> u32) {
    let words = oxicl_offline::assemble(&module(texts)).unwrap_or_else(|log| panic!("{log}\n{}", module(texts)));
    let mut random = Random::new(7);
    let inputs: Vec<(u32, u32)> = (0..SAMPLES).map(|_| (u32::sample(&mut random), u32::sample(&mut random))).collect();
    let mut buffers = [Vec::new(), Vec::new()];
    for (a, b) in &inputs {
        a.put(&mut buffers[0]);
        b.put(&mut buffers[1]);
    }
    // The last work-item's block of two ends behind its own element.
    buffers[0].extend([0; 4]);
    let output = execute_module::<u32>(&words, "k", &[&buffers[0], &buffers[1]], 4 * SAMPLES * texts.len());
    for item in 0..SAMPLES {
        for (row, text) in texts.iter().enumerate() {
            let got = u32::get(&output[4 * (item * texts.len() + row)..]);
            assert_eq!(got, expected(&inputs, item, row), "{text} in work-item {item} of {:x?}", inputs[item]);
        }
    }
}

/// Copies in both directions, whole and strided, of vectors of three too; the events wait alone and together.
const COPIES: &str = "
kernel void k(global const uint *a, global const uint *b, global uint *out) {
  local uint l[50]; local uint m[50]; local uint2 p[25]; local uint3 q[6];
  size_t g = get_group_id(0), i = get_local_id(0);
  event_t e = async_work_group_copy(l, a + 50 * g, 50, 0);
  wait_group_events(1, &e);
  uint x = l[49 - i];
  event_t f[2];
  f[0] = async_work_group_strided_copy(m, b + 50 * g, 25, 2, 0);
  f[1] = async_work_group_copy(p, (global const uint2 *)(a + 50 * g), 25, f[0]);
  wait_group_events(2, f);
  x += m[i / 2] * 3 + p[i / 2].y * 5;
  barrier(CLK_LOCAL_MEM_FENCE);
  prefetch(b, 50);
  e = async_work_group_copy(q, (global const uint3 *)(b + 50 * g), 6, 0);
  wait_group_events(1, &e);
  x += q[i % 6].z * 7;
  m[i] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  e = async_work_group_strided_copy(out + 50 * g, m, 25, 2, 0);
  wait_group_events(1, &e);
  if (i < 25) out[50 * g + 2 * i + 1] = m[25 + i];
}";

#[test]
fn asynchronous_copies_are_there_when_they_were_waited_for() {
    for level in [oxicl_offline::Level::Plain, oxicl_offline::Level::Optimised] {
        let words = oxicl_offline::compile(COPIES, level).unwrap_or_else(|log| panic!("{log}"));
        let number = |item: usize, factor: u32| (item as u32).wrapping_mul(factor) ^ 0x5a5a;
        let mut buffers = [Vec::new(), Vec::new()];
        for item in 0..SAMPLES {
            number(item, 2_654_435_761).put(&mut buffers[0]);
            number(item, 40_503).put(&mut buffers[1]);
        }
        let output = execute_module::<u32>(&words, "k", &[&buffers[0], &buffers[1]], 4 * SAMPLES);
        for start in (0..SAMPLES).step_by(GROUP) {
            let a = |i: usize| number(start + i, 2_654_435_761);
            let b = |i: usize| number(start + i, 40_503);
            let value = |i: usize| {
                let pair = b(i / 2 * 2).wrapping_mul(3).wrapping_add(a(i / 2 * 2 + 1).wrapping_mul(5));
                a(49 - i).wrapping_add(pair).wrapping_add(b(i % 6 * 4 + 2).wrapping_mul(7))
            };
            for i in 0..GROUP {
                let expected = if i % 2 == 0 { value(i / 2) } else { value(25 + i / 2) };
                assert_eq!(u32::get(&output[4 * (start + i)..]), expected, "{level:?}, {start} + {i}");
            }
        }
    }
}
