//! Error codes of the entry points of programs.

use std::ffi::{c_char, c_void};
use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::sources::{IL, SPECIALISED, assembled, build, built, kernel, program};
use crate::support::{Setup, call, code_of, create, ok, table};

extern "C-unwind" fn ignore(_: cl::cl_program, _: *mut c_void) {}

#[test]
fn create_program_with_il() {
    let s = Setup::new();
    let il = IL.as_slice();
    let mut other_magic = il.to_vec();
    other_magic[0] ^= 1;
    let create = |context: cl::cl_context, bytes: *const u8, length: usize| {
        code_of!(clCreateProgramWithIL(context, bytes.cast(), length))
    };
    table! {
        "null context" => CL_INVALID_CONTEXT, create(null_mut(), il.as_ptr(), il.len());
        "queue as context" => CL_INVALID_CONTEXT, create(s.queue.cast(), il.as_ptr(), il.len());
        "null module" => CL_INVALID_VALUE, create(s.context, null(), 20);
        "empty module" => CL_INVALID_VALUE, create(s.context, il.as_ptr(), 0);
        "half a word" => CL_INVALID_VALUE, create(s.context, il.as_ptr(), il.len() - 2);
        "less than a header" => CL_INVALID_VALUE, create(s.context, il.as_ptr(), 16);
        "an instruction cut off" => CL_INVALID_VALUE, create(s.context, il.as_ptr(), il.len() - 4 * 8 - 4);
        "another magic number" => CL_INVALID_VALUE, create(s.context, other_magic.as_ptr(), il.len());
    }
}

#[test]
fn create_program_with_source() {
    let s = Setup::new();
    let text = c"kernel void k() {}";
    let mut strings = [text.as_ptr()];
    let mut none: [*const c_char; 1] = [null()];
    table! {
        "null context" => CL_INVALID_CONTEXT, code_of!(clCreateProgramWithSource(null_mut(), 1, strings.as_mut_ptr(), null()));
        "no strings" => CL_INVALID_VALUE, code_of!(clCreateProgramWithSource(s.context, 0, strings.as_mut_ptr(), null()));
        "null strings" => CL_INVALID_VALUE, code_of!(clCreateProgramWithSource(s.context, 1, null_mut(), null()));
        "a null string" => CL_INVALID_VALUE, code_of!(clCreateProgramWithSource(s.context, 1, none.as_mut_ptr(), null()));
    }
    let program = create!(clCreateProgramWithSource(s.context, 1, strings.as_mut_ptr(), null()));
    table! {
        "good" => CL_SUCCESS, build(program, c"");
        "release" => CL_SUCCESS, call!(clReleaseProgram(program));
    }
}

#[test]
fn create_program_with_binary() {
    let s = Setup::new();
    let bytes = b"no binary of ours";
    let mut list = [bytes.as_ptr()];
    let mut nothing: [*const u8; 1] = [null()];
    let devices = [s.device, s.device];
    let length = bytes.len();
    let mut status = 7;
    let mut create = |context, count, devices: *const cl::cl_device_id, length: *const usize, list: *mut *const u8| {
        code_of!(clCreateProgramWithBinary(context, count, devices, length, list, &mut status))
    };
    let lengths = [length; 2];
    let mut twice = [bytes.as_ptr(); 2];
    table! {
        "null context" => CL_INVALID_CONTEXT, create(null_mut(), 1, &s.device, &length, list.as_mut_ptr());
        "no devices" => CL_INVALID_VALUE, create(s.context, 0, &s.device, &length, list.as_mut_ptr());
        "null devices" => CL_INVALID_VALUE, create(s.context, 1, null(), &length, list.as_mut_ptr());
        "a device twice" => CL_INVALID_DEVICE, create(s.context, 2, devices.as_ptr(), lengths.as_ptr(), twice.as_mut_ptr());
        "null lengths" => CL_INVALID_VALUE, create(s.context, 1, &s.device, null(), list.as_mut_ptr());
        "null binaries" => CL_INVALID_VALUE, create(s.context, 1, &s.device, &length, null_mut());
        "an empty binary" => CL_INVALID_VALUE, create(s.context, 1, &s.device, &0, list.as_mut_ptr());
        "a null binary" => CL_INVALID_VALUE, create(s.context, 1, &s.device, &length, nothing.as_mut_ptr());
        "another's binary" => CL_INVALID_BINARY, create(s.context, 1, &s.device, &length, list.as_mut_ptr());
    }
    assert_eq!(status, cl::CL_INVALID_BINARY);
}

#[test]
fn create_program_with_built_in_kernels() {
    let s = Setup::new();
    let create = |context, count, names: *const c_char| {
        code_of!(clCreateProgramWithBuiltInKernels(context, count, &s.device, names))
    };
    table! {
        "null context" => CL_INVALID_CONTEXT, create(null_mut(), 1, c"k".as_ptr());
        "no devices" => CL_INVALID_VALUE, create(s.context, 0, c"k".as_ptr());
        "null names" => CL_INVALID_VALUE, create(s.context, 1, null());
        "a name that no device has" => CL_INVALID_VALUE, create(s.context, 1, c"k".as_ptr());
    }
}

#[test]
fn build_program() {
    let s = Setup::new();
    let p = program(&s, &IL);
    let bad = null_mut();
    let word: *mut c_void = (&raw const s).cast_mut().cast();
    let with = |program, count, devices: *const cl::cl_device_id, options: *const c_char| {
        call!(clBuildProgram(program, count, devices, options, None, null_mut()))
    };
    table! {
        "null program" => CL_INVALID_PROGRAM, with(null_mut(), 0, null(), null());
        "context as program" => CL_INVALID_PROGRAM, with(s.context.cast(), 0, null(), null());
        "devices without count" => CL_INVALID_VALUE, with(p, 0, &s.device, null());
        "count without devices" => CL_INVALID_VALUE, with(p, 1, null(), null());
        "null device" => CL_INVALID_DEVICE, with(p, 1, &bad, null());
        "data without callback" => CL_INVALID_VALUE, call!(clBuildProgram(p, 0, null(), null(), None, word));
        "unknown option" => CL_INVALID_BUILD_OPTIONS, with(p, 0, null(), c"-cl-unknown".as_ptr());
        "linker's option" => CL_INVALID_BUILD_OPTIONS, with(p, 0, null(), c"-create-library".as_ptr());
        "good" => CL_SUCCESS, with(p, 1, &s.device, c"-cl-mad-enable -D X=1 -cl-std=CL3.0".as_ptr());
    }
    let k = kernel(p, "all");
    table! {
        "kernels exist" => CL_INVALID_OPERATION, with(p, 0, null(), null());
        "release" => CL_SUCCESS, call!(clReleaseKernel(k));
        "kernels are gone" => CL_SUCCESS, with(p, 0, null(), null());
        "release the program" => CL_SUCCESS, call!(clReleaseProgram(p));
        "released" => CL_INVALID_PROGRAM, with(p, 0, null(), null());
    }
}

#[test]
fn compile_and_link_program() {
    let s = Setup::new();
    let p = program(&s, &IL);
    let source = create!(clCreateProgramWithSource(s.context, 1, [c"".as_ptr()].as_mut_ptr(), null()));
    let compile = |program, options: *const c_char, headers: u32| {
        call!(clCompileProgram(program, 0, null(), options, headers, null(), null_mut(), None, null_mut()))
    };
    let link = |context, options: *const c_char, count, inputs: *const cl::cl_program| {
        let mut code = 1;
        let program = call!(clLinkProgram(context, 0, null(), options, count, inputs, None, null_mut(), &mut code));
        if !program.is_null() {
            ok!(clReleaseProgram(program));
        }
        code
    };
    table! {
        "null program" => CL_INVALID_PROGRAM, compile(null_mut(), null(), 0);
        "bad option" => CL_INVALID_COMPILER_OPTIONS, compile(p, c"-no".as_ptr(), 0);
        "count without headers" => CL_INVALID_VALUE, compile(source, null(), 1);
        "headers of SPIR-V are ignored" => CL_SUCCESS, compile(p, null(), 1);
    }
    ok!(clReleaseProgram(source));
    ok!(clReleaseProgram(p));
    let p = program(&s, &IL);
    table! {
        "link before compile" => CL_INVALID_OPERATION, link(s.context, null(), 1, &p);
        "compile" => CL_SUCCESS, compile(p, c"-cl-mad-enable".as_ptr(), 0);
        "null context" => CL_INVALID_CONTEXT, link(null_mut(), null(), 1, &p);
        "no programs" => CL_INVALID_VALUE, link(s.context, null(), 0, null());
        "null programs" => CL_INVALID_VALUE, link(s.context, null(), 1, null());
        "compiler's option" => CL_INVALID_LINKER_OPTIONS, link(s.context, c"-cl-mad-enable".as_ptr(), 1, &p);
        "library" => CL_SUCCESS, link(s.context, c"-create-library".as_ptr(), 1, &p);
        "executable" => CL_SUCCESS, link(s.context, null(), 1, &p);
    }
    ok!(clReleaseProgram(p));
}

#[test]
fn program_queries() {
    let s = Setup::new();
    let p = program(&s, &IL);
    let mut word = 0_u64;
    let mut info =
        |program, name, size| call!(clGetProgramInfo(program, name, size, (&raw mut word).cast(), null_mut()));
    table! {
        "null program" => CL_INVALID_PROGRAM, info(null_mut(), cl::CL_PROGRAM_NUM_DEVICES, 8);
        "no such query" => CL_INVALID_VALUE, info(p, 0x1, 8);
        "too small" => CL_INVALID_VALUE, info(p, cl::CL_PROGRAM_NUM_DEVICES, 3);
        "kernels before the build" => CL_INVALID_PROGRAM_EXECUTABLE, info(p, cl::CL_PROGRAM_NUM_KERNELS, 8);
        "names before the build" => CL_INVALID_PROGRAM_EXECUTABLE, info(p, cl::CL_PROGRAM_KERNEL_NAMES, 8);
        "good" => CL_SUCCESS, info(p, cl::CL_PROGRAM_NUM_DEVICES, 4);
    }
    let mut build_info = |program, device, name| {
        call!(clGetProgramBuildInfo(program, device, name, 8, (&raw mut word).cast(), null_mut()))
    };
    table! {
        "null program" => CL_INVALID_PROGRAM, build_info(null_mut(), s.device, cl::CL_PROGRAM_BUILD_STATUS);
        "null device" => CL_INVALID_DEVICE, build_info(p, null_mut(), cl::CL_PROGRAM_BUILD_STATUS);
        "no such query" => CL_INVALID_VALUE, build_info(p, s.device, 0x1);
        "good" => CL_SUCCESS, build_info(p, s.device, cl::CL_PROGRAM_BUILD_STATUS);
    }
    ok!(clReleaseProgram(p));
}

#[test]
fn set_program_specialization_constant() {
    let s = Setup::new();
    let specialised = program(&s, &assembled(SPECIALISED));
    let mut strings = [c"".as_ptr()];
    let source = create!(clCreateProgramWithSource(s.context, 1, strings.as_mut_ptr(), null()));
    let value = 3_u64;
    let set = |program, id, size, value: *const u64| {
        call!(clSetProgramSpecializationConstant(program, id, size, value.cast()))
    };
    table! {
        "null program" => CL_INVALID_PROGRAM, set(null_mut(), 7, 4, &value);
        "program from source" => CL_INVALID_PROGRAM, set(source, 7, 4, &value);
        "no such constant" => CL_INVALID_SPEC_ID, set(specialised, 8, 4, &value);
        "another size" => CL_INVALID_VALUE, set(specialised, 7, 8, &value);
        "null value" => CL_INVALID_VALUE, set(specialised, 7, 4, null());
        "good" => CL_SUCCESS, set(specialised, 7, 4, &value);
        "null callback" => CL_INVALID_VALUE, call!(clSetProgramReleaseCallback(source, None, null_mut()));
        "no destructors" => CL_INVALID_OPERATION, call!(clSetProgramReleaseCallback(source, Some(ignore), null_mut()));
    }
    ok!(clReleaseProgram(source));
    ok!(clReleaseProgram(specialised));
}

#[test]
fn retain_and_release() {
    let s = Setup::new();
    let p = built(&s, &IL);
    table! {
        "retain null" => CL_INVALID_PROGRAM, call!(clRetainProgram(null_mut()));
        "release null" => CL_INVALID_PROGRAM, call!(clReleaseProgram(null_mut()));
        "retain" => CL_SUCCESS, call!(clRetainProgram(p));
        "release" => CL_SUCCESS, call!(clReleaseProgram(p));
        "release the last" => CL_SUCCESS, call!(clReleaseProgram(p));
        "release once more" => CL_INVALID_PROGRAM, call!(clReleaseProgram(p));
    }
}
