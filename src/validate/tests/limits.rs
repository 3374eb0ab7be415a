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
