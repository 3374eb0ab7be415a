//! Specialisation: constants get the values given, and what depends on them is folded.

use std::collections::HashMap;

use oxicl_spirv::grammar::{Decoration, Op};
use oxicl_spirv::{ConstantKind, Id, Module, decode, spec_constants, specialise, words_from_bytes};

const HEADER: &str = "
OpCapability Kernel
OpCapability Addresses
OpCapability Int8
OpCapability Int64
OpCapability Float16
OpCapability Float64
OpMemoryModel Physical64 OpenCL
OpDecorate %100 SpecId 1
OpDecorate %101 SpecId 7
OpDecorate %102 SpecId 3
OpDecorate %103 SpecId 4
%1 = OpTypeBool
%2 = OpTypeInt 32 0
%3 = OpTypeInt 64 0
%4 = OpTypeInt 8 0
%5 = OpTypeFloat 32
%6 = OpTypeFloat 64
%7 = OpTypeFloat 16
%8 = OpTypeVector %2 4
%9 = OpTypeVector %1 4
%10 = OpTypeStruct %2 %8
%50 = OpConstant %2 3
%51 = OpConstant %2 0
%52 = OpConstantNull %8
%53 = OpConstant %5 1.5
%54 = OpConstant %7 0.333333333
%55 = OpConstantComposite %8 %50 %51 %50 %51
%56 = OpConstantNull %10
%100 = OpSpecConstant %2 12
%101 = OpSpecConstantTrue %1
%102 = OpSpecConstant %3 0x100000000
%103 = OpSpecConstant %4 200
";

fn decoded(text: &str, values: &[(u32, u64)]) -> Result<Module, String> {
    let bytes = oxicl_offline::assemble(&format!("{HEADER}{text}")).expect("the text assembles");
    let module = decode(&words_from_bytes(&bytes).expect("words")).expect("the module decodes");
    let values: HashMap<u32, u64> = values.iter().copied().collect();
    let words = specialise(&module, &values).map_err(|error| error.to_string())?.words;
    Ok(decode(&words).expect("the specialised module decodes"))
}

fn id(number: u32) -> Id {
    Id(std::num::NonZeroU32::new(number).expect("an id"))
}

/// The bits of constant 200, which an operation gives.
fn folded(ty: u32, operation: &str, values: &[(u32, u64)]) -> u64 {
    let module = decoded(&format!("%200 = OpSpecConstantOp %{ty} {operation}\n"), values).expect("folds");
    module.constant_bits(id(200)).expect("a scalar")
}

#[test]
fn constants_say_their_ids_and_sizes() {
    let bytes = oxicl_offline::assemble(HEADER).expect("the text assembles");
    let module = decode(&words_from_bytes(&bytes).expect("words")).expect("the module decodes");
    let found: Vec<_> = spec_constants(&module).iter().map(|constant| (constant.spec_id, constant.size)).collect();
    assert_eq!(found, [(1, 4), (7, 1), (3, 8), (4, 1)]);
}

#[test]
fn values_replace_defaults_and_nothing_stays_special() {
    let module = decoded("", &[(1, 99), (7, 0)]).expect("specialises");
    assert_eq!(module.constant_bits(id(100)), Some(99));
    assert_eq!(module.constant_bits(id(101)), Some(0));
    assert_eq!(module.constant_bits(id(102)), Some(1 << 32));
    assert!(module.constants.iter().all(|constant| !constant.spec));
    assert!(!module.has_decoration(id(100), Decoration::SpecId));
}

#[test]
fn operations_on_scalars_fold() {
    for (ty, operation, expected) in [
        (2, "IAdd %100 %50", 15),
        (2, "ISub %50 %100", 0xffff_fff7),
        (2, "UDiv %100 %51", 0),
        (2, "SDiv %100 %50", 4),
        (2, "ShiftLeftLogical %100 %50", 96),
        (2, "Not %100", 0xffff_fff3),
        (3, "SConvert %103", 0xffff_ffff_ffff_ffc8),
        (3, "UConvert %103", 200),
        (4, "UConvert %100", 12),
        (1, "ULessThan %50 %100", 1),
        (1, "LogicalNot %101", 0),
        (2, "Select %101 %50 %100", 3),
        (5, "ConvertUToF %100", u64::from(12f32.to_bits())),
        (5, "FMul %53 %53", u64::from(2.25f32.to_bits())),
        (6, "FConvert %53", 1.5f64.to_bits()),
        (7, "FAdd %54 %54", 0x3955),
        (5, "Bitcast %100", 12),
    ] {
        assert_eq!(folded(ty, operation, &[]), expected, "{operation}");
    }
    assert_eq!(folded(2, "IMul %100 %50", &[(1, 0x8000_0001)]), 0x8000_0003);
}

fn components(module: &Module, number: u32) -> Vec<Option<u64>> {
    match &module.constant(id(number)).expect("a constant").kind {
        ConstantKind::Composite(parts) => parts.iter().map(|part| module.constant_bits(*part)).collect(),
        other => panic!("{other:?} is no composite"),
    }
}

#[test]
fn operations_on_vectors_and_composites_fold() {
    let module = decoded(
        "%110 = OpSpecConstantComposite %8 %100 %50 %51 %100
%200 = OpSpecConstantOp %8 IAdd %110 %55
%201 = OpSpecConstantOp %8 VectorShuffle %110 %52 3 1 4 0
%202 = OpSpecConstantOp %2 CompositeExtract %200 1
%203 = OpSpecConstantOp %8 CompositeInsert %50 %52 2
%204 = OpSpecConstantOp %10 CompositeInsert %100 %56 1 3
%205 = OpSpecConstantOp %2 CompositeExtract %204 1 3
%206 = OpSpecConstantOp %9 IEqual %110 %55
%207 = OpSpecConstantOp %8 Select %206 %110 %52
",
        &[(1, 5)],
    )
    .expect("folds");
    let some = |values: [u64; 4]| values.map(Some).to_vec();
    assert_eq!(components(&module, 200), some([8, 3, 3, 5]));
    assert_eq!(components(&module, 201), some([5, 3, 0, 5]));
    assert_eq!(module.constant_bits(id(202)), Some(3));
    assert_eq!(components(&module, 203), some([0, 0, 3, 0]));
    assert_eq!(module.constant_bits(id(205)), Some(5));
    assert_eq!(components(&module, 207), some([0, 0, 0, 0]));
}

#[test]
fn address_operations_stay() {
    let module = decoded(
        "%20 = OpTypePointer CrossWorkgroup %2
%21 = OpVariable %20 CrossWorkgroup %51
%200 = OpSpecConstantOp %20 PtrAccessChain %21 %50
%201 = OpSpecConstantOp %3 ConvertPtrToU %200
",
        &[],
    )
    .expect("specialises");
    for (number, op) in [(200, Op::PtrAccessChain), (201, Op::ConvertPtrToU)] {
        let kind = &module.constant(id(number)).expect("a constant").kind;
        assert!(matches!(kind, ConstantKind::Operation { op: found, .. } if *found == op), "{kind:?}");
    }
}

#[test]
fn what_cannot_be_folded_is_an_error() {
    for operation in
        ["%2 CompositeExtract %100 1", "%2 IAdd %100 %102", "%8 IAdd %55 %100", "%1 IAdd %100 %50", "%2 FAdd %53 %53"]
    {
        assert!(decoded(&format!("%200 = OpSpecConstantOp {operation}\n"), &[]).is_err(), "{operation}");
    }
}
