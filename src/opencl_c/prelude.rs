//! The header that every program starts with, behind clang's own.

use std::fmt::Write as _;

use oxicl_caps::{DeviceCaps, Feature, OPENCL_VERSION};
use oxicl_protocol::{SourceOptions, Standard};

use crate::arguments;

/// What does not depend on device or options.
const FUNCTIONS: &str = include_str!("prelude.h");

/// What few programs need: those read it that may name what it is for.
#[derive(Clone, Copy, Default)]
pub(crate) struct Parts {
    /// Functions of sub-groups, once the device has them.
    sub_groups: bool,
    /// Writes at levels of detail of images that are read too.
    level_writes: bool,
}

const SUB_GROUP_FUNCTIONS: &str = include_str!("sub_groups.h");
const LEVEL_WRITES: &str = include_str!("level_writes.h");

impl Parts {
    /// What a program may name whose text, headers and macros of its options are `texts`: itself, by names that macros put
    /// together, or in files that it includes. In OpenCL C 1.x all functions of sub-groups are among them, elsewhere those
    /// that clang does not have.
    pub fn of<'a>(texts: impl Iterator<Item = &'a [u8]>, options: &SourceOptions) -> Self {
        let old = matches!(arguments::standard(options), Standard::C10 | Standard::C11 | Standard::C12);
        let sub_groups = if old { b"sub_group_".as_slice() } else { b"intel_sub_group_" };
        let mut parts = Parts::default();
        for text in texts {
            let has = |word: &[u8]| text.windows(word.len()).any(|window| window == word);
            let any = [b"##".as_slice(), b"%:%:", b"include"].into_iter().any(has);
            parts.sub_groups |= any || has(sub_groups);
            parts.level_writes |= !old && (any || has(b"read_write"));
        }
        parts
    }
}

/// Whether a version has feature macros.
fn has_features(standard: Standard) -> bool {
    matches!(standard, Standard::C30 | Standard::C31 | Standard::Cpp2021)
}

/// The header's text, with these parts.
pub(crate) fn text(options: &SourceOptions, caps: &DeviceCaps, parts: Parts) -> String {
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
    if parts.sub_groups && caps.has(Feature::IntelSubGroupImages) {
        text.push_str(SUB_GROUP_FUNCTIONS);
    }
    if parts.level_writes {
        text.push_str(LEVEL_WRITES);
    }
    text
}
