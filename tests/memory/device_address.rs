//! Device addresses of buffers: properties, queries, and pointers into buffers as kernel arguments.

use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};

use khronos_headers as cl;
use oxicl_tests::offline::{Level, compile};

use crate::support::{Setup, at, call, create, extension, mem_info, ok, release, table};

const SOURCE: &str = "
kernel void address(global int *data, global ulong *to) { data[0] += 1; to[0] = (ulong)data; }
kernel void before(global int *data, global int *to) { to[0] = data[-2]; }
kernel void follow(global ulong *table, local int *scratch, int value, constant int *fixed) {
    ((global int *)table[0])[get_global_id(0)] += 1;
}
";

const ADDRESS: u64 = cl::CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT;
const WITH_ADDRESS: [u64; 3] = [ADDRESS, cl::CL_TRUE as u64, 0];

fn addressed(setup: &Setup, flags: cl::cl_mem_flags, size: usize, host: *mut c_void) -> cl::cl_mem {
    create!(clCreateBufferWithProperties(setup.context, WITH_ADDRESS.as_ptr(), flags, size, host))
}

fn address_of(buffer: cl::cl_mem) -> u64 {
    mem_info(buffer, cl::CL_MEM_DEVICE_ADDRESS_EXT)
}

struct Kernels(cl::cl_program, Vec<cl::cl_kernel>);

impl Kernels {
    fn new(setup: &Setup, names: &[&CStr]) -> Kernels {
        let module = compile(SOURCE, Level::Plain).expect("clang compiles it");
        let program = create!(clCreateProgramWithIL(setup.context, module.as_ptr().cast(), module.len()));
        ok!(clBuildProgram(program, 0, null(), null(), None, null_mut()));
        Kernels(program, names.iter().map(|name| create!(clCreateKernel(program, name.as_ptr()))).collect())
    }
}

impl Drop for Kernels {
    fn drop(&mut self) {
        for kernel in &self.1 {
            call!(clReleaseKernel(*kernel));
        }
        call!(clReleaseProgram(self.0));
    }
}

fn set_buffer(kernel: cl::cl_kernel, index: u32, buffer: cl::cl_mem) {
    ok!(clSetKernelArg(kernel, index, size_of::<cl::cl_mem>(), (&raw const buffer).cast()));
}

fn set_pointer(kernel: cl::cl_kernel, index: u32, address: u64) -> cl::cl_int {
    extension!(clSetKernelArgDevicePointerEXT(kernel, index, address))
}

/// Runs a kernel; whether it ended well.
fn run(setup: &Setup, kernel: cl::cl_kernel, items: usize) -> bool {
    let mut event = null_mut();
    ok!(clEnqueueNDRangeKernel(setup.queue, kernel, 1, null(), &items, null(), 0, null(), &mut event));
    let code = call!(clWaitForEvents(1, &event));
    ok!(clReleaseEvent(event));
    code == cl::CL_SUCCESS
}

#[test]
fn errors_of_properties_queries_and_arguments() {
    let setup = Setup::new();
    let kernels = Kernels::new(&setup, &[c"follow"]);
    let k = kernels.1[0];
    let make = |list: &[u64]| {
        let mut code = 1;
        let buffer = call!(clCreateBufferWithProperties(setup.context, list.as_ptr(), 0, 64, null_mut(), &mut code));
        if !buffer.is_null() {
            release(buffer);
        }
        code
    };
    let (plain, without) = (
        setup.buffer(0, 64),
        create!(clCreateBufferWithProperties(setup.context, [ADDRESS, 0, 0].as_ptr(), 0, 64, null_mut())),
    );
    let mut place = 0u64;
    let query = |buffer| {
        let memory = at(&place);
        call!(clGetMemObjectInfo(buffer, cl::CL_MEM_DEVICE_ADDRESS_EXT, 8, memory, null_mut()))
    };
    let tell = |size, value| call!(clSetKernelExecInfo(k, cl::CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, size, value));
    table! {
        "with an address" => CL_SUCCESS, make(&WITH_ADDRESS);
        "without" => CL_SUCCESS, make(&[ADDRESS, 0, 0]);
        "neither true nor false" => CL_INVALID_PROPERTY, make(&[ADDRESS, 2, 0]);
        "true with a bit more" => CL_INVALID_PROPERTY, make(&[ADDRESS, 1 << 32 | 1, 0]);
        "twice" => CL_INVALID_PROPERTY, make(&[ADDRESS, 1, ADDRESS, 1, 0]);
        "another property" => CL_INVALID_PROPERTY, make(&[ADDRESS + 1, 1, 0]);
        "query of a plain buffer" => CL_INVALID_OPERATION, query(plain);
        "query of a buffer that wants none" => CL_INVALID_OPERATION, query(without);
        "argument, null kernel" => CL_INVALID_KERNEL, set_pointer(null_mut(), 0, 0);
        "argument that there is not" => CL_INVALID_ARG_INDEX, set_pointer(k, 4, 0);
        "local argument" => CL_INVALID_ARG_INDEX, set_pointer(k, 1, 0);
        "value argument" => CL_INVALID_ARG_INDEX, set_pointer(k, 2, 0);
        "constant argument" => CL_INVALID_ARG_INDEX, set_pointer(k, 3, 0);
        "null" => CL_SUCCESS, set_pointer(k, 0, 0);
        "any address" => CL_SUCCESS, set_pointer(k, 0, u64::MAX);
        "pointers" => CL_SUCCESS, tell(8, at(&place));
        "no pointers" => CL_SUCCESS, tell(0, null_mut());
        "pointers, wrong size" => CL_INVALID_VALUE, tell(4, at(&place));
        "pointers, null" => CL_INVALID_VALUE, tell(8, null_mut());
    }
    place += 1;
    assert_eq!(place, 1, "a query that fails writes nothing");
    release(plain);
    release(without);
}

#[test]
fn the_address_is_the_one_that_kernels_see() {
    let setup = Setup::new();
    let kernels = Kernels::new(&setup, &[c"address"]);
    let to = setup.filled(&[0; 8]);
    set_buffer(kernels.1[0], 1, to);
    let seen = |buffer| {
        set_buffer(kernels.1[0], 0, buffer);
        assert!(run(&setup, kernels.1[0], 1));
        u64::from_ne_bytes(setup.read(to).try_into().unwrap())
    };
    let mut host = [0u8; 256];
    let svm = call!(clSVMAlloc(setup.context, 0, 256, 0));
    let own = addressed(&setup, 0, 256, null_mut());
    let used = addressed(&setup, cl::CL_MEM_USE_HOST_PTR, 256, host.as_mut_ptr().cast());
    let twice = addressed(&setup, cl::CL_MEM_USE_HOST_PTR, 128, host.as_mut_ptr().cast());
    let on_svm = addressed(&setup, cl::CL_MEM_USE_HOST_PTR, 256, svm);
    let part = setup.part(own, 0, 128, 64);
    for buffer in [own, used, twice, on_svm, part] {
        assert_eq!(seen(buffer), address_of(buffer));
    }
    assert_eq!(address_of(on_svm), svm.addr() as u64);
    assert_eq!(address_of(part), address_of(own) + 128);
    for buffer in [part, own, twice, used, on_svm, to] {
        release(buffer);
    }
    call!(clSVMFree(setup.context, svm));
}

#[test]
fn kernels_use_buffers_by_pointer() {
    let setup = Setup::new();
    let kernels = Kernels::new(&setup, &[c"before"]);
    let data: Vec<u8> = (0..100i32).flat_map(i32::to_ne_bytes).collect();
    let buffer = addressed(&setup, cl::CL_MEM_COPY_HOST_PTR, data.len(), data.as_ptr().cast_mut().cast());
    let to = setup.filled(&[0; 4]);
    set_buffer(kernels.1[0], 1, to);
    for index in [2, 50, 99] {
        assert_eq!(set_pointer(kernels.1[0], 0, address_of(buffer) + 4 * index), cl::CL_SUCCESS);
        assert!(run(&setup, kernels.1[0], 1));
        assert_eq!(setup.read(to), (index as i32 - 2).to_ne_bytes());
    }
    release(to);
    release(buffer);
}

#[test]
fn kernels_reach_buffers_that_the_execution_information_names() {
    let setup = Setup::new();
    let kernels = Kernels::new(&setup, &[c"follow"]);
    let k = kernels.1[0];
    let strict = std::env::var_os("OXICL_DEVICE").is_some_and(|device| device == "reference");
    let target = addressed(&setup, cl::CL_MEM_COPY_HOST_PTR, 64, at(&[0u64; 8]));
    let address = address_of(target);
    let table = setup.filled(&address.to_ne_bytes());
    let value = 0i32;
    set_buffer(k, 0, table);
    ok!(clSetKernelArg(k, 1, 4, null()));
    ok!(clSetKernelArg(k, 2, 4, at(&value)));
    set_buffer(k, 3, table);
    if strict {
        assert!(!run(&setup, k, 16), "nothing names the buffer");
    }
    ok!(clSetKernelExecInfo(k, cl::CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, 8, at(&address)));
    assert!(run(&setup, k, 16));
    assert_eq!(setup.read(target), 1i32.to_ne_bytes().repeat(16));
    // A launch keeps the buffer, whoever else does not.
    let gate = create!(clCreateUserEvent(setup.context));
    let items = 16usize;
    ok!(clEnqueueNDRangeKernel(setup.queue, k, 1, null(), &items, null(), 1, &gate, null_mut()));
    release(target);
    ok!(clSetUserEventStatus(gate, cl::CL_COMPLETE));
    ok!(clFinish(setup.queue));
    ok!(clReleaseEvent(gate));
    release(table);
}
