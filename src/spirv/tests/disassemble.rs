//! Disassembly: the text assembles to the words that it came from.

use oxicl_offline::assemble;
use oxicl_spirv::{decode, disassemble, disassemble_at, words_from_bytes};

const TEXT: &str = r#"OpCapability Kernel
OpCapability Addresses
OpCapability Int64
OpCapability Float64
OpCapability Float16
%1 = OpExtInstImport "OpenCL.std"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %30 "a kernel"
OpExecutionMode %30 LocalSize 8 4 1
OpSource OpenCL_C 300000
OpName %30 "na\"me"
OpDecorate %31 Alignment 16
OpDecorate %31 FuncParamAttr NoWrite
OpDecorate %30 LinkageAttributes "exported" Export
%2 = OpTypeVoid
%3 = OpTypeInt 64 0
%4 = OpTypeFloat 32
%5 = OpTypeFloat 64
%17 = OpTypeFloat 16
%6 = OpTypePointer CrossWorkgroup %4
%7 = OpTypeFunction %2 %6 %3
%8 = OpConstant %3 81985529216486895
%9 = OpConstant %4 1.5
%10 = OpConstant %5 0.1
%11 = OpConstant %4 0x1p+128
%14 = OpConstant %4 -0x1.8p+128
%15 = OpConstant %5 0x1.8p+1024
%16 = OpConstant %17 0x1.8p+16
%18 = OpConstant %17 0.333
%19 = OpConstant %5 1e300
%12 = OpVariable %6 CrossWorkgroup
%13 = OpSpecConstantOp %6 PtrAccessChain %12 %8
%30 = OpFunction %2 Inline|Pure %7
%31 = OpFunctionParameter %6
%32 = OpFunctionParameter %3
%33 = OpLabel
%34 = OpLoad %4 %31 Volatile|Aligned 4
%35 = OpExtInst %4 %1 fmax %34 %9
OpStore %31 %35 Aligned 4
OpSwitch %32 %36 4294967298 %36 5 %37
%37 = OpLabel
OpBranch %36
%36 = OpLabel
OpReturn
OpFunctionEnd
"#;

#[test]
fn text_and_words_say_the_same() {
    let words = words_from_bytes(&assemble(TEXT).expect("the text assembles")).expect("words");
    let module = decode(&words).expect("decodes");
    let text = disassemble(&module);
    let again = words_from_bytes(&assemble(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))).expect("words");
    assert_eq!(again[5..], words[5..], "{text}");
    assert!(text.contains("%34 = OpLoad %4 %31 Volatile|Aligned 4"), "{text}");
}

#[test]
fn a_single_instruction_is_found_by_its_offset() {
    let words = words_from_bytes(&assemble(TEXT).expect("the text assembles")).expect("words");
    let module = decode(&words).expect("decodes");
    let offset = module.functions[0].blocks[0].instructions[1].offset;
    assert_eq!(disassemble_at(&module, offset).as_deref(), Some("%35 = OpExtInst %4 %1 fmax %34 %9"));
    assert_eq!(disassemble_at(&module, u32::MAX), None);
}
