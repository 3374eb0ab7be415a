//! Program binaries: taken from one program, given to another.

use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::sources::{IL, build, build_number, build_text, built, kernel, numbers, program, program_bytes, run, set};
use crate::support::{Setup, code_of, create, ok};

/// The binary of the only device.
pub fn binary(program: cl::cl_program) -> Vec<u8> {
    let size = program_bytes(program, cl::CL_PROGRAM_BINARY_SIZES);
    let size = usize::from_ne_bytes(size.try_into().expect("one size"));
    let mut bytes = vec![0_u8; size];
    let mut places = [bytes.as_mut_ptr()];
    ok!(clGetProgramInfo(program, cl::CL_PROGRAM_BINARIES, 8, places.as_mut_ptr().cast(), null_mut()));
    bytes
}

/// A program of such a binary; it is not built.
pub fn load(s: &Setup, bytes: &[u8]) -> cl::cl_program {
    let mut status = 1;
    let mut list = [bytes.as_ptr()];
    let program =
        create!(clCreateProgramWithBinary(s.context, 1, &s.device, &bytes.len(), list.as_mut_ptr(), &mut status));
    assert_eq!(status, cl::CL_SUCCESS);
    program
}

#[test]
fn a_program_that_is_not_built_has_an_empty_binary() {
    let s = Setup::new();
    let p = program(&s, &IL);
    assert!(binary(p).is_empty());
    ok!(clReleaseProgram(p));
}

#[test]
fn a_binary_makes_the_same_program_again() {
    let s = Setup::new();
    let first = program(&s, &IL);
    assert_eq!(build(first, c"-cl-no-signed-zeros"), cl::CL_SUCCESS);
    let bytes = binary(first);
    ok!(clReleaseProgram(first));
    let second = load(&s, &bytes);
    assert_eq!(build_number(&s, second, cl::CL_PROGRAM_BINARY_TYPE), cl::CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    assert_eq!(build_text(&s, second, cl::CL_PROGRAM_BUILD_OPTIONS), "", "it is not built yet");
    assert_eq!(binary(second), bytes, "before it is built");
    ok!(clBuildProgram(second, 0, null(), null(), None, null_mut()));
    assert_eq!(build_text(&s, second, cl::CL_PROGRAM_BUILD_OPTIONS), "-cl-no-signed-zeros", "as it was built before");
    assert_eq!(binary(second), bytes);
    let k = kernel(second, "required");
    let (out, input) = (s.filled(&[0; 32]), s.filled(&[5; 32]));
    assert_eq!([set(k, 0, &out), set(k, 1, &input)], [cl::CL_SUCCESS; 2]);
    let size = [8_usize, 2];
    ok!(clEnqueueNDRangeKernel(
        s.queue,
        k,
        2,
        std::ptr::null(),
        size.as_ptr(),
        std::ptr::null(),
        0,
        std::ptr::null(),
        null_mut()
    ));
    s.finish();
    assert_eq!(numbers(&s, out), vec![0x0505_0505; 8]);
    ok!(clReleaseKernel(k));
    ok!(clReleaseMemObject(out));
    ok!(clReleaseMemObject(input));
    ok!(clReleaseProgram(second));
}

#[test]
fn a_spoiled_binary_is_refused_or_checked_like_any_module() {
    let s = Setup::new();
    let p = built(&s, &IL);
    let good = binary(p);
    ok!(clReleaseProgram(p));
    let step = good.len() / 97 + 1;
    for at in (0..good.len()).step_by(step) {
        let mut bad = good.clone();
        bad[at] ^= 0x41;
        let mut list = [bad.as_ptr()];
        let mut status = 1;
        let code = {
            let mut code = 1;
            let program = crate::support::call!(clCreateProgramWithBinary(
                s.context,
                1,
                &s.device,
                &bad.len(),
                list.as_mut_ptr(),
                &mut status,
                &mut code
            ));
            if !program.is_null() {
                // What passes the checks is a module like any other.
                build(program, c"");
                ok!(clReleaseProgram(program));
            }
            code
        };
        assert!([cl::CL_SUCCESS, cl::CL_INVALID_BINARY].contains(&code), "byte {at}: {code}");
        assert_eq!(status, code, "byte {at}");
    }
    let mut list = [good.as_ptr()];
    let cut = good.len() - 1;
    let code = code_of!(clCreateProgramWithBinary(s.context, 1, &s.device, &cut, list.as_mut_ptr(), null_mut()));
    assert_eq!(code, cl::CL_INVALID_BINARY);
}

#[test]
fn arguments_of_a_program_from_a_binary_work() {
    let s = Setup::new();
    let p = built(&s, &crate::sources::assembled(crate::sources::COUNTER));
    let q = load(&s, &binary(p));
    assert_eq!(build(q, c""), cl::CL_SUCCESS);
    let k = kernel(q, "count");
    let out = s.filled(&[0; 4]);
    assert_eq!(set(k, 0, &out), cl::CL_SUCCESS);
    run(&s, k, 1, 1);
    assert_eq!(numbers(&s, out), [11]);
    ok!(clReleaseKernel(k));
    ok!(clReleaseMemObject(out));
    ok!(clReleaseProgram(q));
    ok!(clReleaseProgram(p));
}
