//! What is said of a broken rule: the instruction in text, its place in the words and in the source.

use std::collections::HashMap;

use oxicl_caps::DeviceCaps;
use oxicl_offline::assemble;
use oxicl_spirv::{decode, words_from_bytes};
use oxicl_validate::{Rule, Violation, validate, validate_specialised};

/// The violations of a module in text.
fn violations(text: &str) -> Vec<Violation> {
    let words = words_from_bytes(&assemble(text).expect("the text assembles")).expect("words");
    validate(decode(&words).expect("decodes"), &DeviceCaps::example()).err().unwrap_or_default()
}

/// A kernel around `body`, with debug information before the types.
fn kernel(debug: &str, body: &str) -> String {
    format!(
        r#"OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpCapability Int64
OpExtension "SPV_KHR_non_semantic_info"
%1 = OpExtInstImport "OpenCL.std"
%2 = OpExtInstImport "OpenCL.DebugInfo.100"
%3 = OpExtInstImport "NonSemantic.Shader.DebugInfo.100"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %40 "add"
%4 = OpString "dir/add.cl"
%5 = OpString "add_one"
%6 = OpString ""
OpName %41 "sum"
OpName %20 "count"
OpName %21 "twice"
OpName %22 "twice"
%10 = OpTypeVoid
%11 = OpTypeInt 32 0
%12 = OpTypeFloat 32
%13 = OpConstant %11 7
%14 = OpConstant %11 3
%15 = OpConstant %12 1.5
%16 = OpTypeFunction %10 %11 %11 %11
{debug}
%40 = OpFunction %10 None %16
%20 = OpFunctionParameter %11
%21 = OpFunctionParameter %11
%22 = OpFunctionParameter %11
%45 = OpLabel
{body}
OpReturn
OpFunctionEnd
"#
    )
}

#[test]
fn the_instruction_is_shown_with_the_names_of_its_ids() {
    let found = violations(&kernel("", "%41 = OpIAdd %11 %20 %15\n%42 = OpIMul %11 %21 %15"));
    let texts: Vec<&str> = found.iter().filter_map(|violation| violation.text.as_deref()).collect();
    assert_eq!(texts, ["%sum = OpIAdd %uint %count %float_1.5", "%42 = OpIMul %uint %twice_21 %float_1.5"]);
    assert_eq!(found[0].rule, Rule::Arithmetic);
}

#[test]
fn ids_in_the_sentence_get_their_names_too() {
    let found = violations(&kernel("", "%42 = OpIAdd %11 %41 %20\n%41 = OpIAdd %11 %20 %20"));
    assert_eq!(found[0].detail, "OpIAdd uses %41 (sum), which does not dominate it");
}

#[test]
fn violations_come_in_module_order() {
    // Decorations are checked before execution modes, and bodies last.
    let text = kernel("", "%41 = OpIAdd %11 %20 %15")
        .replace("%4 = OpString", "OpExecutionMode %40 LocalSize 0 1 1\n%4 = OpString")
        .replace("%10 = OpTypeVoid", "OpDecorate %40 CPacked\n%10 = OpTypeVoid");
    let found = violations(&text);
    let offsets: Vec<u32> = found.iter().map(|violation| violation.location.offset).collect();
    assert!(offsets.is_sorted() && offsets.len() == 3, "{found:#?}");
}

#[test]
fn lines_tell_the_place_in_the_source_until_they_end() {
    let body = "OpLine %4 12 5\n%41 = OpIAdd %11 %20 %15\nOpNoLine\n%42 = OpIMul %11 %20 %15";
    let places: Vec<Option<String>> = violations(&kernel("", body))
        .iter()
        .map(|violation| violation.source.as_ref().map(ToString::to_string))
        .collect();
    assert_eq!(places, [Some("dir/add.cl:12:5".to_owned()), None]);
}

#[test]
fn scopes_of_opencl_debug_information_name_the_function() {
    let debug = "%30 = OpExtInst %10 %2 DebugSource %4
%31 = OpExtInst %10 %2 DebugCompilationUnit 1 4 %30 OpenCL_C
%32 = OpExtInst %10 %2 DebugTypeFunction FlagIsProtected|FlagIsPrivate %10
%33 = OpExtInst %10 %2 DebugFunction %5 %32 %30 3 1 %31 %6 FlagIsProtected|FlagIsPrivate 3 %40
%34 = OpExtInst %10 %2 DebugLexicalBlock %30 4 2 %33";
    let body = "%50 = OpExtInst %10 %2 DebugScope %34
OpLine %4 5 9
%41 = OpIAdd %11 %20 %15
OpNoLine
%42 = OpIMul %11 %20 %15";
    let places: Vec<String> = violations(&kernel(debug, body))
        .iter()
        .filter_map(|violation| Some(violation.source.as_ref()?.to_string()))
        .collect();
    assert_eq!(places, ["dir/add.cl:5:9 in add_one", "dir/add.cl:4:2 in add_one"]);
}

#[test]
fn lines_of_non_semantic_debug_information_are_read() {
    let debug = "%30 = OpExtInst %10 %3 DebugSource %4";
    let body = "%50 = OpExtInst %10 %3 DebugLine %30 %13 %13 %14 %14
%41 = OpIAdd %11 %20 %15
%51 = OpExtInst %10 %3 DebugNoLine
%42 = OpIMul %11 %20 %15";
    let places: Vec<Option<String>> = violations(&kernel(debug, body))
        .iter()
        .map(|violation| violation.source.as_ref().map(ToString::to_string))
        .collect();
    assert_eq!(places, [Some("dir/add.cl:7:3".to_owned()), None]);
}

#[test]
fn the_log_has_all_of_it() {
    let found = violations(&kernel("", "OpLine %4 12 5\n%41 = OpIAdd %11 %20 %15"));
    let log = found[0].to_string();
    for part in [
        "error: OpIAdd has a 32-bit float as operand 1",
        "in %sum = OpIAdd %uint %count %float_1.5",
        "from dir/add.cl:12:5",
        "at word ",
        "rule: Arithmetic: ",
        "specification: SPIR-V 1.6, Arithmetic Instructions",
    ] {
        assert!(log.contains(part), "no `{part}` in:\n{log}");
    }
}

#[test]
fn a_run_reports_at_most_a_hundred_and_each_in_a_short_line() {
    let body: String = (0..300).map(|n| format!("%{} = OpIAdd %11 %20 %15\n", 100 + n)).collect();
    assert_eq!(violations(&kernel("", &body)).len(), 100);
    let name = "n".repeat(1000);
    let text = kernel("", "%41 = OpIAdd %11 %20 %15").replace("\"sum\"", &format!("\"{name}\""));
    let found = violations(&text);
    assert!(found[0].text.as_ref().is_some_and(|text| text.len() < 300), "{found:?}");
}

#[test]
fn places_are_those_before_specialisation() {
    let text =
        kernel("%17 = OpSpecConstant %11 1\n%18 = OpSpecConstantOp %11 IAdd %17 %13", "%41 = OpIAdd %11 %18 %15")
            .replace("%10 = OpTypeVoid", "OpDecorate %17 SpecId 3\n%10 = OpTypeVoid");
    let words = words_from_bytes(&assemble(&text).expect("the text assembles")).expect("words");
    let module = decode(&words).expect("decodes");
    let found = validate_specialised(module, &HashMap::new(), &DeviceCaps::example()).expect_err("is invalid");
    let offset = found[0].location.offset as usize;
    assert_eq!(words[offset], (5 << 16) | 128, "{found:?}");
    assert_eq!(found[0].text.as_deref(), Some("%sum = OpIAdd %uint %18 %float_1.5"));
}

#[test]
fn an_operation_on_what_is_no_constant_is_a_broken_rule() {
    let text = kernel("%17 = OpSpecConstant %11 1\n%18 = OpSpecConstantOp %11 IAdd %17 %10", "");
    let words = words_from_bytes(&assemble(&text).expect("the text assembles")).expect("words");
    let module = decode(&words).expect("decodes");
    let found = validate_specialised(module, &HashMap::new(), &DeviceCaps::example()).expect_err("is invalid");
    assert_eq!(found[0].rule, Rule::ConstantOperation);
    assert_eq!(found[0].text.as_deref(), Some("%18 = OpSpecConstantOp %uint IAdd %17 %void"));
}
