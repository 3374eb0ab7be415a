//! The header that every program starts with, behind clang's own.

use std::fmt::Write as _;

use oxicl_caps::{DeviceCaps, Feature, OPENCL_VERSION};
use oxicl_protocol::{SourceOptions, Standard};

use crate::arguments;

/// What does not depend on device or options.
const FUNCTIONS: &str = include_str!("prelude.h");

/// What programs read too that have this in them, once the device has it.
const SUB_GROUP_FUNCTIONS: &str = include_str!("sub_groups.h");

/// Whether a program may call functions of `SUB_GROUP_FUNCTIONS`: itself, or in files that it includes.
pub(crate) fn may_name_sub_group_functions(text: &[u8]) -> bool {
    let has = |word: &[u8]| text.windows(word.len()).any(|window| window == word);
    has(b"intel_sub_group_") || has(b"include")
}

/// Whether a version has feature macros.
fn has_features(standard: Standard) -> bool {
    matches!(standard, Standard::C30 | Standard::C31 | Standard::Cpp2021)
}

/// The header's text; with functions of sub-groups that few programs name, where the device has them.
pub(crate) fn text(options: &SourceOptions, caps: &DeviceCaps, sub_groups: bool) -> String {
    let standard = arguments::standard(options);
    let mut text = String::from("#pragma clang system_header\n");
    let (major, minor) = OPENCL_VERSION;
    // Writing to a String cannot fail.
    let _ = writeln!(text, "#define __OPENCL_VERSION__ {}", major * 100 + minor * 10);
    if caps.has(Feature::Images) {
        // The number of a channel type that the device has, which clang knows by another condition.
        text.push_str("#ifndef CLK_UNORM_INT_2_101010_EXT\n#define CLK_UNORM_INT_2_101010_EXT 0x10E5\n#endif\n");
    } else {
        text.push_str("#undef __IMAGE_SUPPORT__\n");
    }
    let mut names: Vec<&str> = caps.device_extensions().map(|extension| extension.name).collect();
    if has_features(standard) {
        names.extend(caps.c_features().iter().map(|feature| feature.name));
    }
    for name in names {
        // Clang defines those that it knows.
        let _ = writeln!(text, "#ifndef {name}\n#define {name} 1\n#endif");
    }
    if caps.has(Feature::Fp16) {
        // Without it clang has no functions with arguments of this type, its own included.
        text.push_str("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n");
    }
    if standard == Standard::C31 {
        text.push_str("#undef __OPENCL_C_VERSION__\n#define __OPENCL_C_VERSION__ 310\n#define CL_VERSION_3_1 310\n");
    }
    text.push_str(FUNCTIONS);
    if sub_groups && caps.has(Feature::IntelSubGroupImages) {
        text.push_str(SUB_GROUP_FUNCTIONS);
    }
    text
}
