//! The modules that these tests build, and shorthands to build them.

use std::ffi::{CStr, CString, c_void};
use std::ptr::{null, null_mut};
use std::sync::LazyLock;
use std::sync::mpsc::{Receiver, Sender, channel};

use khronos_headers as cl;
use oxicl_offline::{Level, assemble, compile};

use crate::support::{Setup, call, create, ok};

/// Kernels with every kind of argument, and a required work-group size.
pub const KERNELS: &str = "
    typedef struct { int a; float b; int c[3]; } record;
    kernel void all(global int *out, constant int *table, local int *scratch, int4 vector, float scale, record r) {
        int i = get_global_id(0);
        scratch[get_local_id(0)] = table[i % 4] * vector.y;
        barrier(CLK_LOCAL_MEM_FENCE);
        int other = scratch[get_local_size(0) - 1 - get_local_id(0)];
        out[i] = other + (int)scale + r.a + (int)r.b + r.c[2] + vector.w;
    }
    kernel __attribute__((reqd_work_group_size(4, 2, 1)))
    void required(global int *restrict out, const volatile global int *in) {
        out[get_global_id(0)] = in[get_global_id(0)];
    }
    kernel void two_locals(global ulong *out, local char *first, local double *second) {
        first[0] = 1; second[0] = 2;
        out[0] = (ulong)second % 8; out[1] = (local char *)second - first; out[2] = first[0];
    }
";

/// A program-scope variable that launches count in.
pub const COUNTER: &str = "
    OpCapability Addresses
    OpCapability Kernel
    OpCapability Int64
    OpMemoryModel Physical64 OpenCL
    OpEntryPoint Kernel %main \"count\" %counter
    %void = OpTypeVoid
    %uint = OpTypeInt 32 0
    %one = OpConstant %uint 1
    %ten = OpConstant %uint 10
    %global_uint = OpTypePointer CrossWorkgroup %uint
    %counter = OpVariable %global_uint CrossWorkgroup %ten
    %type = OpTypeFunction %void %global_uint
    %main = OpFunction %void None %type
    %out = OpFunctionParameter %global_uint
    %entry = OpLabel
    %old = OpLoad %uint %counter Aligned 4
    %new = OpIAdd %uint %old %one
    OpStore %counter %new Aligned 4
    OpStore %out %new Aligned 4
    OpReturn
    OpFunctionEnd
";

/// Stores twice the specialisation constant 7, which is 21 by default.
pub const SPECIALISED: &str = "
    OpCapability Addresses
    OpCapability Kernel
    OpCapability Int64
    OpMemoryModel Physical64 OpenCL
    OpEntryPoint Kernel %main \"store\"
    OpDecorate %value SpecId 7
    %void = OpTypeVoid
    %uint = OpTypeInt 32 0
    %value = OpSpecConstant %uint 21
    %twice = OpSpecConstantOp %uint IAdd %value %value
    %global_uint = OpTypePointer CrossWorkgroup %uint
    %type = OpTypeFunction %void %global_uint
    %main = OpFunction %void None %type
    %out = OpFunctionParameter %global_uint
    %entry = OpLabel
    OpStore %out %twice Aligned 4
    OpReturn
    OpFunctionEnd
";

/// [`KERNELS`] as SPIR-V.
pub static IL: LazyLock<Vec<u8>> = LazyLock::new(|| compile(KERNELS, Level::Plain).expect("compiling the kernels"));

/// A module as SPIR-V.
pub fn assembled(text: &str) -> Vec<u8> {
    assemble(text).expect("assembling the module")
}

/// A program that is not built.
pub fn program(setup: &Setup, il: &[u8]) -> cl::cl_program {
    create!(clCreateProgramWithIL(setup.context, il.as_ptr().cast(), il.len()))
}

/// A program of OpenCL C that is not built.
pub fn from_source(setup: &Setup, text: &str) -> cl::cl_program {
    let text = CString::new(text).expect("a text");
    let mut strings = [text.as_ptr()];
    create!(clCreateProgramWithSource(setup.context, 1, strings.as_mut_ptr(), null()))
}

/// A program of OpenCL C that is built with options.
pub fn built_from_source(setup: &Setup, text: &str, options: &str) -> cl::cl_program {
    let program = from_source(setup, text);
    let options = CString::new(options).expect("options");
    let code = build(program, &options);
    assert_eq!(code, cl::CL_SUCCESS, "{options:?}: {}", build_text(setup, program, cl::CL_PROGRAM_BUILD_LOG));
    program
}

/// What the kernel of this name, whose only argument is `global uint *`, leaves there as its first number.
pub fn result_of(setup: &Setup, program: cl::cl_program, name: &str) -> u32 {
    let kernel = kernel(program, name);
    let out = setup.filled(&[0xEE; 4]);
    assert_eq!(set(kernel, 0, &out), cl::CL_SUCCESS);
    run(setup, kernel, 1, 1);
    let [value] = numbers(setup, out)[..] else { panic!("one number") };
    ok!(clReleaseKernel(kernel));
    ok!(clReleaseMemObject(out));
    value.cast_unsigned()
}

/// Builds for all devices with options.
pub fn build(program: cl::cl_program, options: &CStr) -> cl::cl_int {
    call!(clBuildProgram(program, 0, null(), options.as_ptr(), None, null_mut()))
}

/// A program that is built.
pub fn built(setup: &Setup, il: &[u8]) -> cl::cl_program {
    let program = program(setup, il);
    assert_eq!(build(program, c""), cl::CL_SUCCESS, "{}", build_text(setup, program, cl::CL_PROGRAM_BUILD_LOG));
    program
}

/// A kernel.
pub fn kernel(program: cl::cl_program, name: &str) -> cl::cl_kernel {
    let name = CString::new(name).expect("a name");
    create!(clCreateKernel(program, name.as_ptr()))
}

/// The bytes that a query about a program answers.
pub fn program_bytes(program: cl::cl_program, name: cl::cl_program_info) -> Vec<u8> {
    let mut size = 0;
    ok!(clGetProgramInfo(program, name, 0, null_mut(), &mut size));
    let mut bytes = vec![0; size];
    ok!(clGetProgramInfo(program, name, size, bytes.as_mut_ptr().cast(), null_mut()));
    bytes
}

/// A number that a query about a build answers.
pub fn build_number(setup: &Setup, program: cl::cl_program, name: cl::cl_program_build_info) -> u32 {
    let mut value = 0_u32;
    ok!(clGetProgramBuildInfo(program, setup.device, name, 4, (&raw mut value).cast(), null_mut()));
    value
}

/// The text that a query about a build answers.
pub fn build_text(setup: &Setup, program: cl::cl_program, name: cl::cl_program_build_info) -> String {
    let mut size = 0;
    ok!(clGetProgramBuildInfo(program, setup.device, name, 0, null_mut(), &mut size));
    let mut bytes = vec![0; size];
    ok!(clGetProgramBuildInfo(program, setup.device, name, size, bytes.as_mut_ptr().cast(), null_mut()));
    text(bytes)
}

/// A C string's text.
pub fn text(bytes: Vec<u8>) -> String {
    let string = CString::from_vec_with_nul(bytes).expect("a string that ends with a zero");
    string.into_string().expect("text")
}

/// Sets a plain argument.
pub fn set<T>(kernel: cl::cl_kernel, index: u32, value: &T) -> cl::cl_int {
    call!(clSetKernelArg(kernel, index, size_of::<T>(), std::ptr::from_ref(value).cast()))
}

/// Runs a kernel on `global` work-items in groups of `local`, and waits.
pub fn run(setup: &Setup, kernel: cl::cl_kernel, global: usize, local: usize) {
    ok!(clEnqueueNDRangeKernel(setup.queue, kernel, 1, null(), &global, &local, 0, null(), null_mut()));
    setup.finish();
}

/// The number that one work-item of a kernel stores in its only argument.
pub fn result(s: &Setup, program: cl::cl_program, name: &str) -> i32 {
    let out = s.filled(&[0; 4]);
    let k = kernel(program, name);
    assert_eq!(set(k, 0, &out), cl::CL_SUCCESS);
    run(s, k, 1, 1);
    let found = numbers(s, out)[0];
    ok!(clReleaseKernel(k));
    ok!(clReleaseMemObject(out));
    found
}

/// A buffer as numbers.
pub fn numbers(setup: &Setup, buffer: cl::cl_mem) -> Vec<i32> {
    setup.read(buffer).as_chunks::<4>().0.iter().map(|bytes| i32::from_ne_bytes(*bytes)).collect()
}

/// A callback: sends the program's address to who asked by [`told`].
pub extern "C-unwind" fn tell(program: cl::cl_program, sender: *mut c_void) {
    // SAFETY: the word is the sender that the test gave away.
    let sender = unsafe { Box::from_raw(sender.cast::<Sender<usize>>()) };
    sender.send(program.addr()).expect("the test waits");
}

/// The word for [`tell`], good for one call, and where it sends.
pub fn told() -> (*mut c_void, Receiver<usize>) {
    let (sender, receiver) = channel::<usize>();
    (Box::into_raw(Box::new(sender)).cast(), receiver)
}
