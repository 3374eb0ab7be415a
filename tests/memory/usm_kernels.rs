//! Unified shared memory in kernels: pointers as arguments, and memory that kernels reach through other memory.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use khronos_headers as cl;
use oxicl_tests::offline::{Level, compile};

use crate::support::{Setup, at, call, create, extension, ok, table};
use crate::usm::{KINDS, allocate, free};

const SOURCE: &str = "
kernel void increment(global int *data, local int *scratch, int by) { data[get_global_id(0)] += by; }
kernel void read(constant int *from, global int *to) { to[get_global_id(0)] = from[get_global_id(0)]; }
kernel void follow(global ulong *table) { ((global int *)table[0])[get_global_id(0)] += 1; }
";

struct Kernels {
    program: cl::cl_program,
    increment: cl::cl_kernel,
    read: cl::cl_kernel,
    follow: cl::cl_kernel,
}

impl Kernels {
    fn new(setup: &Setup) -> Kernels {
        let module = compile(SOURCE, Level::Plain).expect("clang compiles it");
        let program = create!(clCreateProgramWithIL(setup.context, module.as_ptr().cast(), module.len()));
        ok!(clBuildProgram(program, 0, null(), null(), None, null_mut()));
        let kernel = |name: &std::ffi::CStr| create!(clCreateKernel(program, name.as_ptr()));
        Kernels { program, increment: kernel(c"increment"), read: kernel(c"read"), follow: kernel(c"follow") }
    }
}

impl Drop for Kernels {
    fn drop(&mut self) {
        for kernel in [self.increment, self.read, self.follow] {
            call!(clReleaseKernel(kernel));
        }
        call!(clReleaseProgram(self.program));
    }
}

fn set_pointer(kernel: cl::cl_kernel, index: u32, pointer: *const c_void) -> cl::cl_int {
    extension!(clSetKernelArgMemPointerINTEL(kernel, index, pointer))
}

/// Runs a kernel; whether it ended well.
fn run(setup: &Setup, kernel: cl::cl_kernel, items: usize) -> bool {
    let mut event = null_mut();
    ok!(clEnqueueNDRangeKernel(setup.queue, kernel, 1, null(), &items, null(), 0, null(), &mut event));
    let code = call!(clWaitForEvents(1, &event));
    ok!(clReleaseEvent(event));
    code == cl::CL_SUCCESS
}

fn values(setup: &Setup, pointer: *mut c_void, count: usize) -> Vec<i32> {
    let mut back = vec![0i32; count];
    let data = back.as_mut_ptr().cast();
    let code = extension!(clEnqueueMemcpyINTEL(setup.queue, 1, data, pointer, 4 * count, 0, null(), null_mut()));
    assert_eq!(code, cl::CL_SUCCESS);
    back
}

#[test]
fn errors_of_pointer_arguments_and_execution_information() {
    let setup = Setup::new();
    let kernels = Kernels::new(&setup);
    let (k, yes, pointer) = (kernels.increment, cl::CL_TRUE, 0x1000usize);
    let tell = |name, size, value| call!(clSetKernelExecInfo(k, name, size, value));
    let (host, device, shared) = (
        cl::CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL,
        cl::CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
        cl::CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL,
    );
    let pointers = cl::CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL;
    table! {
        "argument, null kernel" => CL_INVALID_KERNEL, set_pointer(null_mut(), 0, null());
        "argument that there is not" => CL_INVALID_ARG_INDEX, set_pointer(k, 3, null());
        "local argument" => CL_INVALID_ARG_VALUE, set_pointer(k, 1, null());
        "value argument" => CL_INVALID_ARG_VALUE, set_pointer(k, 2, null());
        "null" => CL_SUCCESS, set_pointer(k, 0, null());
        "any pointer" => CL_SUCCESS, set_pointer(k, 0, std::ptr::without_provenance(3));
        "constant argument" => CL_SUCCESS, set_pointer(kernels.read, 0, null());
        "host access" => CL_SUCCESS, tell(host, 4, at(&yes));
        "device access" => CL_SUCCESS, tell(device, 4, at(&yes));
        "shared access" => CL_SUCCESS, tell(shared, 4, at(&yes));
        "access without a value" => CL_INVALID_VALUE, tell(host, 4, null_mut());
        "access, wrong size" => CL_INVALID_VALUE, tell(device, 8, at(&yes));
        "pointers" => CL_SUCCESS, tell(pointers, 8, at(&pointer));
        "no pointers" => CL_SUCCESS, tell(pointers, 0, null_mut());
        "pointers, wrong size" => CL_INVALID_VALUE, tell(pointers, 7, at(&pointer));
        "pointers, null" => CL_INVALID_VALUE, tell(pointers, 8, null_mut());
        "unknown information" => CL_INVALID_VALUE, tell(pointers + 1, 8, at(&pointer));
    }
}

#[test]
fn kernels_use_every_kind_of_memory_by_argument() {
    let setup = Setup::new();
    let kernels = Kernels::new(&setup);
    let one = 1i32;
    for kind in KINDS {
        let (p, result) = (allocate(&setup, kind, 4000), allocate(&setup, kind, 4000));
        ok!(clSetKernelArg(kernels.increment, 1, 4, null()));
        ok!(clSetKernelArg(kernels.increment, 2, 4, (&raw const one).cast()));
        assert_eq!(set_pointer(kernels.increment, 0, p), cl::CL_SUCCESS);
        assert!(run(&setup, kernels.increment, 1000));
        // From the middle on.
        assert_eq!(set_pointer(kernels.increment, 0, p.wrapping_byte_add(2000)), cl::CL_SUCCESS);
        assert!(run(&setup, kernels.increment, 500));
        assert_eq!(set_pointer(kernels.read, 0, p), cl::CL_SUCCESS);
        assert_eq!(set_pointer(kernels.read, 1, result), cl::CL_SUCCESS);
        assert!(run(&setup, kernels.read, 1000));
        let read = values(&setup, result, 1000);
        assert!(read[..500].iter().all(|value| *value == 1) && read[500..].iter().all(|value| *value == 2));
        free(&setup, p);
        free(&setup, result);
    }
}

#[test]
fn kernels_reach_memory_that_is_allowed_as_a_whole_or_named() {
    let setup = Setup::new();
    let kernels = Kernels::new(&setup);
    let strict = std::env::var_os("OXICL_DEVICE").is_some_and(|device| device == "reference");
    let flags = [
        cl::CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL,
        cl::CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
        cl::CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL,
    ];
    let tell = |name, size, value| ok!(clSetKernelExecInfo(kernels.follow, name, size, value));
    for (kind, flag) in KINDS.into_iter().zip(flags) {
        let (table, target) = (allocate(&setup, kind, 8), allocate(&setup, kind, 400));
        let address = target.expose_provenance() as u64;
        let word = (&raw const address).cast();
        assert_eq!(extension!(clEnqueueMemcpyINTEL(setup.queue, 1, table, word, 8, 0, null(), null_mut())), 0);
        assert_eq!(set_pointer(kernels.follow, 0, table), cl::CL_SUCCESS);
        if strict {
            assert!(!run(&setup, kernels.follow, 100), "{kind:#x}: neither allowed nor named");
        }
        let (yes, no) = (cl::CL_TRUE, cl::CL_FALSE);
        tell(flag, 4, (&raw const yes).cast());
        assert!(run(&setup, kernels.follow, 100));
        tell(flag, 4, (&raw const no).cast());
        let inside = target.wrapping_byte_add(8);
        tell(cl::CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, 8, (&raw const inside).cast());
        assert!(run(&setup, kernels.follow, 100));
        tell(cl::CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, 0, null());
        if strict {
            assert!(!run(&setup, kernels.follow, 100), "{kind:#x}: no longer");
        }
        assert_eq!(values(&setup, target, 100), [2; 100]);
        free(&setup, table);
        free(&setup, target);
    }
}

#[test]
fn a_launch_keeps_the_memory_of_its_arguments() {
    let setup = Setup::new();
    let kernels = Kernels::new(&setup);
    let from = allocate(&setup, cl::CL_MEM_TYPE_DEVICE_INTEL, 400_000);
    let to = allocate(&setup, cl::CL_MEM_TYPE_SHARED_INTEL, 400_000);
    assert_eq!(extension!(clEnqueueMemsetINTEL(setup.queue, from, 1, 400_000, 0, null(), null_mut())), 0);
    let gate = create!(clCreateUserEvent(setup.context));
    assert_eq!(set_pointer(kernels.read, 0, from), cl::CL_SUCCESS);
    assert_eq!(set_pointer(kernels.read, 1, to), cl::CL_SUCCESS);
    let items = 1000usize;
    ok!(clEnqueueNDRangeKernel(setup.queue, kernels.read, 1, null(), &items, null(), 1, &gate, null_mut()));
    free(&setup, from);
    ok!(clSetUserEventStatus(gate, cl::CL_COMPLETE));
    setup.finish();
    assert_eq!(values(&setup, to, 1000), [0x0101_0101; 1000]);
    free(&setup, to);
    ok!(clReleaseEvent(gate));
}
