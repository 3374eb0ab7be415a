//! Kernels with as many images and samplers as the device takes, and with one more.

use oxicl_caps::DeviceCaps;
use oxicl_offline::assemble;
use oxicl_spirv::{decode, words_from_bytes};
use oxicl_validate::{Rule, validate};

/// The rules that a kernel breaks whose arguments are `count` of a type.
fn broken(caps: &DeviceCaps, declaration: &str, count: u32) -> Vec<Rule> {
    let parameters: String = (0..count).map(|number| format!("%p{number} = OpFunctionParameter %argument\n")).collect();
    let text = format!(
        r#"OpCapability Kernel
OpCapability Addresses
OpCapability ImageBasic
OpCapability ImageReadWrite
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %kernel "many"
%void = OpTypeVoid
%argument = {declaration}
%kernel_fn = OpTypeFunction %void{}
%kernel = OpFunction %void None %kernel_fn
{parameters}%entry = OpLabel
OpReturn
OpFunctionEnd
"#,
        " %argument".repeat(count as usize)
    );
    let words = words_from_bytes(&assemble(&text).expect("the text assembles")).expect("words");
    let found = validate(decode(&words).expect("decodes"), caps).err().unwrap_or_default();
    found.iter().map(|violation| violation.rule).collect()
}

#[test]
fn a_kernel_has_no_more_images_and_samplers_than_the_device_takes() {
    let caps = DeviceCaps::example();
    let limits = &caps.limits.images;
    let image = |access: &str| format!("OpTypeImage %void 2D 0 0 0 0 Unknown {access}");
    for (declaration, most) in [
        (image("ReadOnly"), limits.max_read_args),
        (image("WriteOnly"), limits.max_write_args),
        (image("ReadWrite"), limits.max_read_write_args),
        ("OpTypeSampler".to_owned(), limits.max_samplers),
    ] {
        assert_eq!(broken(&caps, &declaration, most), [], "{declaration}");
        assert_eq!(broken(&caps, &declaration, most + 1), [Rule::DeviceLimit], "{declaration}");
    }
}

/// The rules that a module breaks with a constant that doubles so many times, which `user` uses.
fn broken_by_doubles(doubles: u32, user: &str) -> Vec<Rule> {
    let constants: String = (1..=doubles)
        .map(|level| {
            let below = level - 1;
            format!("%t{level} = OpTypeArray %t{below} %two\n%c{level} = OpConstantComposite %t{level} %c{below} %c{below}\n")
        })
        .collect();
    let (variable, body) = match user {
        "variable" => (format!("%v = OpVariable %pointer UniformConstant %c{doubles}\n"), String::new()),
        "instruction" => (String::new(), format!("%x = OpCompositeExtract %t{} %c{doubles} 0\n", doubles - 1)),
        other => panic!("{other}"),
    };
    let text = format!(
        r#"OpCapability Kernel
OpCapability Addresses
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %kernel "doubles"
%void = OpTypeVoid
%t0 = OpTypeInt 32 0
%two = OpConstant %t0 2
%c0 = OpConstant %t0 7
{constants}%pointer = OpTypePointer UniformConstant %t{doubles}
{variable}%kernel_fn = OpTypeFunction %void
%kernel = OpFunction %void None %kernel_fn
%entry = OpLabel
{body}OpReturn
OpFunctionEnd
"#
    );
    let words = words_from_bytes(&assemble(&text).expect("the text assembles")).expect("words");
    let found = validate(decode(&words).expect("decodes"), &DeviceCaps::example()).err().unwrap_or_default();
    found.iter().map(|violation| violation.rule).collect()
}

#[test]
fn constants_that_double_have_an_end() {
    // Two numbers, and four, and so on: all together have nearly twice as many as the last.
    for (doubles, broken) in [(19, vec![]), (20, vec![Rule::DeviceLimit]), (28, vec![Rule::DeviceLimit])] {
        assert_eq!(broken_by_doubles(doubles, "variable"), broken, "{doubles}");
    }
    for (doubles, broken) in [(16, vec![]), (17, vec![Rule::DeviceLimit])] {
        assert_eq!(broken_by_doubles(doubles, "instruction"), broken, "{doubles}");
    }
}

#[test]
fn a_table_may_be_as_large_as_its_module_makes_it() {
    let row = vec!["%n"; 60_000].join(" ");
    let rows: String = (0..40).map(|row_number| format!("%r{row_number} = OpConstantComposite %row {row}\n")).collect();
    let all: String = (0..40).map(|row_number| format!(" %r{row_number}")).collect();
    let text = format!(
        r#"OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpMemoryModel Physical64 OpenCL
%int = OpTypeInt 32 0
%n = OpConstant %int 60000
%rows = OpConstant %int 40
%row = OpTypeArray %int %n
%table = OpTypeArray %row %rows
{rows}%all = OpConstantComposite %table{all}
%pointer = OpTypePointer UniformConstant %table
%v = OpVariable %pointer UniformConstant %all
"#
    );
    let words = words_from_bytes(&assemble(&text).expect("the text assembles")).expect("words");
    assert!(validate(decode(&words).expect("decodes"), &DeviceCaps::example()).is_ok());
}
