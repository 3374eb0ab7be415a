//! What kernels from OpenCL C tell of their arguments and attributes.

use std::ffi::{CStr, CString};
use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::binaries::{binary, load};
use crate::opencl_c::Folder;
use crate::sources::{build, build_text, built_from_source, from_source, kernel, result_of, text};
use crate::support::{Setup, create, ok};

const KERNELS: &str = "
    typedef struct { int a; float b; } pair;
    typedef float4 colour;
    kernel void arguments(
        global int *a, constant float *b, local char *c, uint d, unsigned char e, float4 f, const global int *g,
        global volatile uint *restrict h, pair i, global pair *j, colour k, const int l, global const volatile uchar16 * m,
        global void *n, unsigned long o, global unsigned int *p)
    { *a = d; }
    kernel __attribute__((vec_type_hint(uint4))) __attribute__((reqd_work_group_size(4, 2, 1))) void both(global int *a) {}
    kernel __attribute__((work_group_size_hint(8,1,1))) void hint(global int *a) {}
    kernel void neither(global int *a) {}
";

/// Address space, type, qualifiers and name of each argument of `arguments`.
const EXPECTED: &[(u32, &str, u64, &str)] = &[
    (cl::CL_KERNEL_ARG_ADDRESS_GLOBAL, "int*", 0, "a"),
    (cl::CL_KERNEL_ARG_ADDRESS_CONSTANT, "float*", cl::CL_KERNEL_ARG_TYPE_CONST, "b"),
    (cl::CL_KERNEL_ARG_ADDRESS_LOCAL, "char*", 0, "c"),
    (cl::CL_KERNEL_ARG_ADDRESS_PRIVATE, "uint", 0, "d"),
    (cl::CL_KERNEL_ARG_ADDRESS_PRIVATE, "uchar", 0, "e"),
    (cl::CL_KERNEL_ARG_ADDRESS_PRIVATE, "float4", 0, "f"),
    (cl::CL_KERNEL_ARG_ADDRESS_GLOBAL, "int*", cl::CL_KERNEL_ARG_TYPE_CONST, "g"),
    (cl::CL_KERNEL_ARG_ADDRESS_GLOBAL, "uint*", cl::CL_KERNEL_ARG_TYPE_RESTRICT | cl::CL_KERNEL_ARG_TYPE_VOLATILE, "h"),
    (cl::CL_KERNEL_ARG_ADDRESS_PRIVATE, "pair", 0, "i"),
    (cl::CL_KERNEL_ARG_ADDRESS_GLOBAL, "pair*", 0, "j"),
    (cl::CL_KERNEL_ARG_ADDRESS_PRIVATE, "colour", 0, "k"),
    (cl::CL_KERNEL_ARG_ADDRESS_PRIVATE, "int", 0, "l"),
    (cl::CL_KERNEL_ARG_ADDRESS_GLOBAL, "uchar16*", cl::CL_KERNEL_ARG_TYPE_CONST | cl::CL_KERNEL_ARG_TYPE_VOLATILE, "m"),
    (cl::CL_KERNEL_ARG_ADDRESS_GLOBAL, "void*", 0, "n"),
    (cl::CL_KERNEL_ARG_ADDRESS_PRIVATE, "ulong", 0, "o"),
    (cl::CL_KERNEL_ARG_ADDRESS_GLOBAL, "uint*", 0, "p"),
];

fn argument_text(kernel: cl::cl_kernel, index: usize, name: cl::cl_kernel_arg_info) -> String {
    let index = u32::try_from(index).expect("an index");
    let mut bytes = [0_u8; 64];
    let mut size = 0;
    ok!(clGetKernelArgInfo(kernel, index, name, 64, bytes.as_mut_ptr().cast(), &mut size));
    text(bytes[..size].to_vec())
}

fn argument_number<T: Default>(kernel: cl::cl_kernel, index: usize, name: cl::cl_kernel_arg_info) -> T {
    let index = u32::try_from(index).expect("an index");
    let mut value = T::default();
    ok!(clGetKernelArgInfo(kernel, index, name, size_of::<T>(), (&raw mut value).cast(), null_mut()));
    value
}

#[test]
fn arguments_have_the_types_qualifiers_and_names_of_the_source() {
    let s = Setup::new();
    for options in ["", "-cl-kernel-arg-info", "-cl-std=CL3.0"] {
        let p = built_from_source(&s, KERNELS, options);
        assert_arguments_are_told(p);
        ok!(clReleaseProgram(p));
    }
}

/// The kernel `arguments` of a program tells what [`EXPECTED`] has.
fn assert_arguments_are_told(program: cl::cl_program) {
    let k = kernel(program, "arguments");
    for (index, (address, kind, qualifiers, name)) in EXPECTED.iter().enumerate() {
        assert_eq!(argument_number::<u32>(k, index, cl::CL_KERNEL_ARG_ADDRESS_QUALIFIER), *address, "{name}");
        assert_eq!(argument_text(k, index, cl::CL_KERNEL_ARG_TYPE_NAME), *kind, "{name}");
        assert_eq!(argument_number::<u64>(k, index, cl::CL_KERNEL_ARG_TYPE_QUALIFIER), *qualifiers, "{name}");
        assert_eq!(argument_text(k, index, cl::CL_KERNEL_ARG_NAME), *name);
        let access = argument_number::<u32>(k, index, cl::CL_KERNEL_ARG_ACCESS_QUALIFIER);
        assert_eq!(access, cl::CL_KERNEL_ARG_ACCESS_NONE, "{name}");
    }
    ok!(clReleaseKernel(k));
}

#[test]
fn an_argument_without_a_name_has_an_empty_one() {
    let s = Setup::new();
    let p = built_from_source(&s, "kernel void k(global int *, int second) {}", "");
    let k = kernel(p, "k");
    assert_eq!(argument_text(k, 0, cl::CL_KERNEL_ARG_NAME), "");
    assert_eq!(argument_text(k, 0, cl::CL_KERNEL_ARG_TYPE_NAME), "int*");
    assert_eq!(argument_text(k, 1, cl::CL_KERNEL_ARG_NAME), "second");
    ok!(clReleaseKernel(k));
    ok!(clReleaseProgram(p));
}

#[test]
fn arguments_of_programs_that_are_linked_or_reloaded_are_told() {
    let s = Setup::new();
    let compiled = from_source(&s, KERNELS);
    ok!(clCompileProgram(compiled, 0, null(), null(), 0, null(), null_mut(), None, null_mut()));
    let linked = create!(clLinkProgram(s.context, 0, null(), null(), 1, &compiled, None, null_mut()));
    assert_arguments_are_told(linked);
    let reloaded = load(&s, &binary(linked));
    ok!(clBuildProgram(reloaded, 0, null(), null(), None, null_mut()));
    assert_arguments_are_told(reloaded);
    for program in [compiled, linked, reloaded] {
        ok!(clReleaseProgram(program));
    }
}

fn attributes(program: cl::cl_program, name: &str) -> String {
    let k = kernel(program, name);
    let mut bytes = [0_u8; 128];
    let mut size = 0;
    ok!(clGetKernelInfo(k, cl::CL_KERNEL_ATTRIBUTES, 128, bytes.as_mut_ptr().cast(), &mut size));
    ok!(clReleaseKernel(k));
    text(bytes[..size].to_vec())
}

#[test]
fn attributes_of_the_source_are_listed_and_obeyed() {
    let s = Setup::new();
    let p = built_from_source(&s, KERNELS, "");
    let both = attributes(p, "both");
    let mut both: Vec<&str> = both.split(' ').collect();
    both.sort_unstable();
    assert_eq!(both, ["reqd_work_group_size(4,2,1)", "vec_type_hint(uint4)"]);
    assert_eq!(attributes(p, "hint"), "work_group_size_hint(8,1,1)");
    assert_eq!(attributes(p, "neither"), "");
    let k = kernel(p, "both");
    let mut size = [0_usize; 3];
    let name = cl::CL_KERNEL_COMPILE_WORK_GROUP_SIZE;
    ok!(clGetKernelWorkGroupInfo(k, s.device, name, 24, size.as_mut_ptr().cast(), null_mut()));
    assert_eq!(size, [4, 2, 1]);
    ok!(clReleaseKernel(k));
    ok!(clReleaseProgram(p));
}

#[test]
fn feature_macros_are_those_of_the_query() {
    let s = Setup::new();
    let mut size = 0;
    ok!(clGetDeviceInfo(s.device, cl::CL_DEVICE_OPENCL_C_FEATURES, 0, null_mut(), &mut size));
    let mut list = vec![0_u8; size];
    let name = cl::CL_DEVICE_OPENCL_C_FEATURES;
    ok!(clGetDeviceInfo(s.device, name, size, list.as_mut_ptr().cast(), null_mut()));
    let listed: Vec<String> = list
        .chunks_exact(4 + cl::CL_NAME_VERSION_MAX_NAME_SIZE)
        .map(|entry| CStr::from_bytes_until_nul(&entry[4..]).expect("a name").to_string_lossy().into_owned())
        .collect();
    assert!(listed.iter().any(|name| name == "__opencl_c_int64"), "{listed:?}");
    let mut source = String::new();
    for name in &listed {
        source += &format!("#ifndef {name}\n#error {name} is missing\n#endif\n");
    }
    for name in ["__opencl_c_images", "__opencl_c_pipes", "__opencl_c_device_enqueue", "__opencl_c_read_write_images"] {
        let other = if listed.iter().any(|listed| listed == name) { "ifndef" } else { "ifdef" };
        source += &format!("#{other} {name}\n#error {name} differs\n#endif\n");
    }
    source += "kernel void k(global uint *out) { *out = 1; }";
    ok!(clReleaseProgram(built_from_source(&s, &source, "-cl-std=CL3.0")));
}

#[test]
fn macros_of_extensions_are_those_of_the_device() {
    let s = Setup::new();
    let mut size = 0;
    ok!(clGetDeviceInfo(s.device, cl::CL_DEVICE_EXTENSIONS, 0, null_mut(), &mut size));
    let mut bytes = vec![0_u8; size];
    ok!(clGetDeviceInfo(s.device, cl::CL_DEVICE_EXTENSIONS, size, bytes.as_mut_ptr().cast(), null_mut()));
    let listed = text(bytes);
    let mut source = String::new();
    // Extensions of the language, with and without which this device may be.
    for name in [
        "cl_khr_fp16",
        "cl_khr_fp64",
        "cl_khr_int64_base_atomics",
        "cl_khr_subgroups",
        "cl_khr_subgroup_shuffle",
        "cl_khr_subgroup_rotate",
        "cl_khr_integer_dot_product",
        "cl_khr_extended_bit_ops",
        "cl_khr_3d_image_writes",
        "cl_khr_depth_images",
        "cl_khr_mipmap_image",
    ] {
        let other = if listed.split(' ').any(|listed| listed == name) { "ifndef" } else { "ifdef" };
        source += &format!("#{other} {name}\n#error {name} differs\n#endif\n");
    }
    source += "kernel void k(global uint *out) { *out = 1; }";
    for options in [c"", c"-cl-std=CL3.0"] {
        let p = from_source(&s, &source);
        let log = |p| crate::sources::build_text(&s, p, cl::CL_PROGRAM_BUILD_LOG);
        assert_eq!(build(p, options), cl::CL_SUCCESS, "{options:?}: {}", log(p));
        ok!(clReleaseProgram(p));
    }
}

/// Kernels of all kinds of control flow; the recursion is what no device compiles.
const RECURSIVE: &str = "uint down(uint n) {
    uint sum = 1;
    for (uint i = 0; i < n; ++i)
        sum += i % 3 == 0 ? i : 2;
    switch (sum) {
    case 7:
        return 0;
    default:
        sum += n;
    }
    return RECURSE(n - 1) + sum;
}
#include <more.h>
kernel void k(global uint *out) {
    *out = down(3) + more(*out);
}
";

#[test]
fn modules_that_are_built_for_debugging_know_their_lines_and_do_the_same() {
    let s = Setup::new();
    let folder = Folder::new("lines");
    folder.write("more.h", "uint more(uint x) {\n    return x != 0\n        ? sin((float)x) < 2 : 5;\n}\n");
    let outcome = |options: &str| {
        let p = from_source(&s, RECURSIVE);
        let options = CString::new(format!("{} {options}", folder.option())).expect("options");
        let code = build(p, &options);
        let outcome = match code {
            cl::CL_SUCCESS => Ok(result_of(&s, p, "k")),
            _ => Err(build_text(&s, p, cl::CL_PROGRAM_BUILD_LOG)),
        };
        ok!(clReleaseProgram(p));
        outcome
    };
    let plain = outcome("-DRECURSE=abs");
    assert!(plain.is_ok(), "{plain:?}");
    for options in ["-g", "-g -cl-opt-disable", "-g -cl-std=CL3.0", "-g -cl-kernel-arg-info"] {
        assert_eq!(outcome(&format!("{options} -DRECURSE=abs")), plain, "{options}");
    }
    let log = outcome("-DRECURSE=down").expect_err("no recursion");
    assert!(!log.contains("from <source>"), "{log}");
    let log = outcome("-g -DRECURSE=down").expect_err("no recursion");
    assert!(log.contains("from <source>:1"), "{log}");
}
