//! Decoding: what a module says arrives in the model, and what is no module is an error.

use oxicl_spirv::grammar::{Capability, Op, StorageClass};
use oxicl_spirv::{
    ConstantKind, DecodeError, InstructionSet, Layouts, Module, Operand, TypeRef, decode, words_from_bytes,
};

fn assemble(text: &str) -> Vec<u32> {
    words_from_bytes(&oxicl_offline::assemble(text).expect("the text assembles")).expect("words")
}

const SAMPLE: &str = r#"
OpCapability Kernel
OpCapability Addresses
OpCapability Int64
OpExtension "SPV_KHR_no_integer_wrap_decoration"
%std = OpExtInstImport "OpenCL.std"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main "sample"
OpExecutionMode %main LocalSize 8 4 1
OpName %main "main"
OpDecorate %packed CPacked
OpDecorate %group Alignment 16
%group = OpDecorationGroup
OpGroupDecorate %group %shared
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%uchar = OpTypeInt 8 0
%ulong = OpTypeInt 64 0
%uint3 = OpTypeVector %uint 3
%size = OpConstant %uint 5
%wide = OpConstant %ulong 0x123456789ab
%array = OpTypeArray %uint3 %size
%struct = OpTypeStruct %uchar %ulong %uint3
%packed = OpTypeStruct %uchar %ulong %uchar
%local = OpTypePointer Workgroup %array
%shared = OpVariable %local Workgroup
%fn = OpTypeFunction %void %ulong
%main = OpFunction %void None %fn
%n = OpFunctionParameter %ulong
%entry = OpLabel
OpSwitch %n %other 1 %one 0x100000002 %two
%one = OpLabel
OpBranch %other
%two = OpLabel
%count = OpExtInst %ulong %std clz %n
OpBranch %other
%other = OpLabel
OpReturn
OpFunctionEnd
"#;

fn sample() -> Module {
    decode(&assemble(SAMPLE)).expect("the sample decodes")
}

#[test]
fn header_sections_arrive() {
    let module = sample();
    assert_eq!(module.version, (1, 4));
    let capabilities: Vec<_> = module.capabilities.iter().map(|(capability, _)| *capability).collect();
    assert_eq!(capabilities, [Capability::Kernel, Capability::Addresses, Capability::Int64]);
    assert_eq!(module.extensions[0].0, "SPV_KHR_no_integer_wrap_decoration");
    assert!(module.instruction_sets.values().all(|(set, _)| *set == InstructionSet::OpenClStd));
    assert_eq!(module.entry_points[0].name, "sample");
    let function = module.function(module.entry_points[0].function).expect("the entry point is a function");
    assert_eq!(module.names[&function.id], "main");
    assert_eq!(module.execution_modes[0].operands, [Operand::Word(8), Operand::Word(4), Operand::Word(1)]);
}

#[test]
fn decoration_groups_are_applied() {
    let module = sample();
    let shared = &module.globals[0];
    assert_eq!(shared.storage, StorageClass::Workgroup);
    assert_eq!(module.alignment(shared.id), Some(16));
}

#[test]
fn literals_have_the_width_of_their_type() {
    let module = sample();
    assert_eq!(module.constants[0].kind, ConstantKind::Scalar(5));
    assert_eq!(module.constants[1].kind, ConstantKind::Scalar(0x123_4567_89ab));
    let switch = module.functions[0].blocks[0].instructions[0];
    assert_eq!(switch.op, Op::Switch);
    let words: Vec<_> = switch.operands(&module).iter().filter(|operand| matches!(operand, Operand::Word(_))).collect();
    assert_eq!(words, [&Operand::Word(1), &Operand::Word(0), &Operand::Word(2), &Operand::Word(1)]);
}

#[test]
fn blocks_end_with_their_terminators() {
    let module = sample();
    let ops: Vec<Vec<Op>> = module.functions[0]
        .blocks
        .iter()
        .map(|block| block.instructions.iter().map(|instruction| instruction.op).collect())
        .collect();
    assert_eq!(ops, [vec![Op::Switch], vec![Op::Branch], vec![Op::ExtInst, Op::Branch], vec![Op::Return]]);
}

#[test]
fn layouts_follow_the_opencl_rules() {
    let module = sample();
    let layouts = Layouts::of(&module);
    let nth = |wanted: &str, nth: usize| {
        let mut found = module.types.iter().enumerate().filter(|(_, ty)| format!("{ty:?}").starts_with(wanted));
        TypeRef(u32::try_from(found.nth(nth).expect("the type").0).expect("small"))
    };
    let array = nth("Array", 0);
    assert_eq!((layouts.size_of(array), layouts.align_of(array)), (Some(80), Some(16)));
    let natural = nth("Struct", 0);
    let offsets = |ty| (0..4).map(|member| layouts.member_offset(ty, member)).collect::<Vec<_>>();
    assert_eq!((layouts.size_of(natural), layouts.align_of(natural)), (Some(32), Some(16)));
    assert_eq!(offsets(natural), [Some(0), Some(8), Some(16), None]);
    let packed = nth("Struct", 1);
    assert_eq!((layouts.size_of(packed), layouts.align_of(packed)), (Some(10), Some(1)));
    assert_eq!(offsets(packed), [Some(0), Some(1), Some(9), None]);
}

#[test]
fn both_byte_orders_decode_alike() {
    let words = assemble(SAMPLE);
    let swapped: Vec<u32> = words.iter().map(|word| word.swap_bytes()).collect();
    assert_eq!(decode(&swapped).expect("the swapped module decodes").words, words);
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
    assert_eq!(words_from_bytes(&bytes).expect("words"), words);
}

fn error_of(words: &[u32]) -> DecodeError {
    decode(words).expect_err("no module")
}

#[test]
fn what_is_no_spirv_is_a_physical_error() {
    let words = assemble(SAMPLE);
    let with = |index: usize, value: u32| {
        let mut changed = words.clone();
        changed[index] = value;
        changed
    };
    assert!(error_of(&[]).physical);
    assert!(error_of(&words[..4]).physical);
    // The last label loses its second word.
    assert!(error_of(&words[..words.len() - 3]).physical);
    for (index, value) in [(0, 0x1234_5678), (1, 0x0002_0000), (1, 0x0001_0700), (3, 0), (3, u32::MAX), (4, 1)] {
        let error = error_of(&with(index, value));
        assert!(error.physical, "{error}");
        assert_eq!(error.word_offset as usize, index, "{error}");
    }
    // Word counts of zero and beyond the end.
    assert!(error_of(&with(5, 17)).physical);
    assert!(error_of(&with(5, 0xffff_0011)).physical);
}

#[test]
fn broken_grammar_is_named_with_its_place() {
    for (line, with, expected) in [
        ("OpReturn\n", "OpReturn\n%one = OpLabel\nOpReturn\n", "defined twice"),
        ("OpTypeFunction %void %ulong", "OpTypeFunction %void %std", "is no type"),
        ("OpFunctionEnd", "", "inside a function"),
        ("%entry = OpLabel\n", "", "before the first block"),
    ] {
        let error = error_of(&assemble(&SAMPLE.replace(line, with)));
        assert!(!error.physical);
        assert!(error.message.contains(expected), "{error}, not {expected}");
    }
}
