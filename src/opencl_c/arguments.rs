//! The arguments of clang's front end, from the options and from what the device can do.

use oxicl_caps::DeviceCaps;
use oxicl_caps::config::Include;
use oxicl_protocol::{SourceOptions, Standard};

use crate::{HEADER_FOLDER, OWN_FOLDER};

/// Extensions of SPIR-V that clang's output needs for something that OpenCL C has; what else LLVM knows would change code
/// for nothing.
const USEFUL_EXTENSIONS: &[&str] = &[
    "SPV_EXT_relaxed_printf_string_address_space",
    "SPV_EXT_shader_atomic_float16_add",
    "SPV_EXT_shader_atomic_float_add",
    "SPV_EXT_shader_atomic_float_min_max",
    "SPV_INTEL_bfloat16_conversion",
    "SPV_INTEL_split_barrier",
    "SPV_INTEL_subgroups",
    "SPV_INTEL_variable_length_array",
    "SPV_KHR_bit_instructions",
    "SPV_KHR_expect_assume",
    "SPV_KHR_integer_dot_product",
    "SPV_KHR_linkonce_odr",
    "SPV_KHR_no_integer_wrap_decoration",
    "SPV_KHR_shader_clock",
    "SPV_KHR_subgroup_rotate",
    "SPV_KHR_uniform_group_instructions",
];

/// The value of LLVM's option spirv-ext: those useful extensions that modules may name, whatever the program sees of them.
pub(crate) fn spirv_extensions(caps: &DeviceCaps) -> String {
    let offered = USEFUL_EXTENSIONS.iter().filter(|name| caps.whole().spirv_extension(name));
    offered.map(|name| format!("+{name}")).collect::<Vec<_>>().join(",")
}

/// Clang's name for a version of the language. It knows no 3.1, which is 3.0 and what the prelude adds.
fn clang_standard(standard: Standard) -> &'static str {
    match standard {
        Standard::C10 => "CL1.0",
        Standard::C11 => "CL1.1",
        Standard::C12 => "CL1.2",
        Standard::C20 => "CL2.0",
        Standard::C30 | Standard::C31 => "CL3.0",
        Standard::Cpp10 => "CLC++1.0",
        Standard::Cpp2021 => "CLC++2021",
    }
}

/// The version that is compiled: without `-cl-std`, the newest OpenCL C 1.x.
pub(crate) fn standard(options: &SourceOptions) -> Standard {
    options.standard.unwrap_or(Standard::C12)
}

/// Every extension and feature macro that the device has, and nothing that clang would add by itself.
fn extensions(caps: &DeviceCaps) -> String {
    let mut text = "-cl-ext=-all".to_owned();
    let names = caps.device_extensions().map(|extension| extension.name);
    for name in names.chain(caps.c_features().iter().map(|feature| feature.name)) {
        text.push_str(",+");
        text.push_str(name);
    }
    text
}

/// The arguments, the input excluded.
pub(crate) fn of(options: &SourceOptions, include: Include, caps: &DeviceCaps) -> Vec<String> {
    let mut arguments: Vec<String> = FIXED.iter().map(|argument| (*argument).to_owned()).collect();
    arguments.push(format!("-cl-std={}", clang_standard(standard(options))));
    arguments.push(extensions(caps));
    for header in ["base.h", "prelude.h"] {
        arguments.extend(["-include".into(), format!("{OWN_FOLDER}/{header}")]);
    }
    // Embedded headers come first, then, for names in quotes, the folder that the program would be in.
    arguments.extend(["-iquote".into(), HEADER_FOLDER.into()]);
    if include == Include::All {
        arguments.extend(["-iquote".into(), ".".into()]);
    }
    // #embed searches folders of its own, which are the same here.
    for folder in std::iter::once(HEADER_FOLDER).chain(options.include_folders.iter().map(String::as_str)) {
        arguments.extend(["-I".into(), folder.into(), format!("--embed-dir={folder}")]);
    }
    for define in &options.defines {
        arguments.extend(["-D".into(), define.clone()]);
    }
    let flags = [
        (options.no_warnings, "-w"),
        (options.warnings_are_errors, "-Werror"),
        // Programs have relied on the warning that this was in all compilers of OpenCL C before.
        (!options.warnings_are_errors, "-Wno-error=incompatible-pointer-types"),
        // Lines and nothing else: it is all that SPIR-V's own instructions can tell.
        (options.debug, "-debug-info-kind=line-tables-only"),
        (options.single_precision_constant, "-cl-single-precision-constant"),
        (options.mad_enable, "-cl-mad-enable"),
        (options.no_signed_zeros, "-cl-no-signed-zeros"),
        (options.unsafe_math, "-cl-unsafe-math-optimizations"),
        (options.finite_math, "-cl-finite-math-only"),
        // The option above only defines a macro.
        (options.finite_math, "-menable-no-infs"),
        (options.finite_math, "-menable-no-nans"),
        (options.fast_relaxed_math, "-cl-fast-relaxed-math"),
    ];
    arguments.extend(flags.iter().filter(|(set, _)| *set).map(|(_, flag)| (*flag).to_owned()));
    arguments
}

/// What is always the same.
const FIXED: &[&str] = &[
    "-triple",
    "spirv64",
    "-x",
    "cl",
    // Nothing is optimised here: the kernel compiler knows more, and the SPIR-V target translates plain code best.
    "-O0",
    "-disable-O0-optnone",
    "-disable-llvm-passes",
    "-mframe-pointer=none",
    "-discard-value-names",
    "-ffp-contract=on",
    "-fno-threadsafe-statics",
    // Applications ask for the names of arguments without the option of `clBuildProgram`, as most implementations have them.
    "-cl-kernel-arg-info",
    "-fdeclare-opencl-builtins",
    "-nostdsysteminc",
    "-nobuiltininc",
    "-fgnuc-version=4.2.1",
    // `asm` and `typeof`, beside the names with underscores.
    "-fgnu-keywords",
    "-ferror-limit",
    "19",
];
