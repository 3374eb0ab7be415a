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

const HEAD: &str = "OpCapability Addresses\nOpCapability Kernel\nOpCapability Int8\nOpCapability Int16\n\
    OpCapability Int64\nOpCapability Float16\nOpCapability Float64\nOpCapability Groups\nOpCapability SubgroupDispatch\n\
    OpCapability GroupNonUniform\nOpCapability GroupNonUniformVote\nOpCapability GroupNonUniformArithmetic\n\
    OpCapability GroupNonUniformBallot\nOpCapability GroupNonUniformShuffle\n\
    OpCapability GroupNonUniformShuffleRelative\nOpCapability GroupNonUniformClustered\n\
    OpCapability GroupNonUniformRotateKHR\nOpCapability SubgroupShuffleINTEL\n\
    OpCapability SubgroupBufferBlockIOINTEL\nOpExtension \"SPV_KHR_subgroup_rotate\"\n\
    OpExtension \"SPV_INTEL_subgroups\"\nOpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %k \"k\" %gid\n\
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
         %acq_rel = OpConstant %uint 0x388\n%zero = OpConstant %ulong 0\n\
         %ptr = OpTypePointer CrossWorkgroup %uint\n%in_uint = OpTypePointer Input %uint\n\
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
        let local = ["%r", "%p", "%o", "%f", "%v", "%w", "%d", "%n", "%e", "%s", "%x", "%y", "%z", "%ppo"];
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
    let words = oxicl_offline::assemble(&module(&texts)).unwrap_or_else(|log| panic!("{log}\n{}", module(&texts)));
    let mut random = Random::new(7);
    let inputs: Vec<(u32, u32)> = (0..SAMPLES).map(|_| (u32::sample(&mut random), u32::sample(&mut random))).collect();
    let mut buffers = [Vec::new(), Vec::new()];
    for (a, b) in &inputs {
        a.put(&mut buffers[0]);
        b.put(&mut buffers[1]);
    }
    // The last work-item's block of two ends behind its own element.
    buffers[0].extend([0; 4]);
    let output = execute_module(&words, "k", &[&buffers[0], &buffers[1]], 4 * SAMPLES * rows.len());
    for (item, (a, b)) in inputs.iter().enumerate() {
        for (number, (text, expected)) in rows.iter().enumerate() {
            let got = u32::get(&output[4 * (item * rows.len() + number)..]);
            assert_eq!(got, expected(*a, *b), "{text} of {a:#x}, {b:#x}");
        }
    }
}
