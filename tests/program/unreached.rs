//! Programs with much that their kernels do not reach: alone it costs nothing, and others may call it.

use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::sources::{build, build_text, from_source, program_bytes, result};
use crate::support::{Setup, call, create, ok};

/// Functions of the large program.
const COUNT: u32 = 200;

/// Function `f7` gives `7 * x + 1`, in a roundabout way.
fn large() -> String {
    let function = |n: u32| {
        format!(
            "uint f{n}(uint x) {{ uint sum = 1; for (uint at = 0; at < {n}; ++at) sum += x ^ (at & 0); \
             if (sum == 0 && x == 0) sum = rotate(x, sum) * popcount(x) + clz(sum) + mul_hi(x, sum) + sub_sat(x, sum); \
             return sum; }}\n"
        )
    };
    let functions: String = (0..COUNT).map(function).collect();
    format!("{functions}kernel void k(global uint *p) {{ *p = f3(10); }}\n")
}

const CALLER: &str = "uint f77(uint); kernel void m(global uint *p) { *p = f77(10); }";

fn compiled(s: &Setup, source: &str) -> cl::cl_program {
    let p = from_source(s, source);
    let code = call!(clCompileProgram(p, 0, null(), null(), 0, null(), null_mut(), None, null_mut()));
    assert_eq!(code, cl::CL_SUCCESS, "{}", build_text(s, p, cl::CL_PROGRAM_BUILD_LOG));
    p
}

fn linked(s: &Setup, options: &std::ffi::CStr, inputs: &[cl::cl_program]) -> cl::cl_program {
    let (mut code, count) = (1, inputs.len() as u32);
    let (list, options) = (inputs.as_ptr(), options.as_ptr());
    let p = call!(clLinkProgram(s.context, 0, null(), options, count, list, None, null_mut(), &mut code));
    assert_eq!(code, cl::CL_SUCCESS, "{}", build_text(s, p, cl::CL_PROGRAM_BUILD_LOG));
    p
}

fn binary(p: cl::cl_program) -> Vec<u8> {
    let size = program_bytes(p, cl::CL_PROGRAM_BINARY_SIZES);
    let mut bytes = vec![0_u8; usize::from_ne_bytes(size.try_into().expect("one size"))];
    let mut places = [bytes.as_mut_ptr()];
    ok!(clGetProgramInfo(p, cl::CL_PROGRAM_BINARIES, 8, places.as_mut_ptr().cast(), null_mut()));
    bytes
}

fn from_binary(s: &Setup, bytes: &[u8]) -> cl::cl_program {
    let mut list = [bytes.as_ptr()];
    create!(clCreateProgramWithBinary(s.context, 1, &s.device, &bytes.len(), list.as_mut_ptr(), null_mut()))
}

#[test]
fn a_program_that_is_linked_alone_has_what_its_kernels_reach() {
    let s = Setup::new();
    let built = from_source(&s, &large());
    assert_eq!(build(built, c""), cl::CL_SUCCESS);
    let alone = linked(&s, c"", &[compiled(&s, &large())]);
    for p in [built, alone] {
        assert_eq!(result(&s, p, "k"), 31);
        // A few functions take a few kilobytes.
        let length = binary(p).len();
        assert!(length < 8_192, "{length} bytes");
        ok!(clReleaseProgram(p));
    }
}

#[test]
fn what_kernels_do_not_reach_is_there_for_other_programs() {
    let s = Setup::new();
    let (caller, large) = (compiled(&s, CALLER), large());
    let both = linked(&s, c"", &[compiled(&s, &large), caller]);
    assert_eq!((result(&s, both, "k"), result(&s, both, "m")), (31, 771));
    let library = linked(&s, c"-create-library", &[compiled(&s, &large)]);
    let with_library = linked(&s, c"", &[library, caller]);
    assert_eq!((result(&s, with_library, "k"), result(&s, with_library, "m")), (31, 771));
    let object = compiled(&s, &large);
    let reloaded = from_binary(&s, &binary(object));
    for object in [reloaded, object] {
        let again = linked(&s, c"", &[caller, object]);
        assert_eq!((result(&s, again, "k"), result(&s, again, "m")), (31, 771));
        ok!(clReleaseProgram(again));
        ok!(clReleaseProgram(object));
    }
    for p in [caller, both, library, with_library] {
        ok!(clReleaseProgram(p));
    }
}
