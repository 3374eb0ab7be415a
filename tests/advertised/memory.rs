//! Extensions of memory.

use std::ptr::{null, null_mut};

use khronos_headers as cl;
use oxicl_tests::offline::{Level, compile};

use crate::api::answer;
use crate::support::{Setup, at, call, create, extension, mem_info, ok, release};

/// A program with one kernel `k`, and that kernel.
fn kernel(setup: &Setup, source: &str) -> (cl::cl_program, cl::cl_kernel) {
    let words = compile(source, Level::Plain).unwrap();
    let program = create!(clCreateProgramWithIL(setup.context, words.as_ptr().cast(), words.len()));
    ok!(clBuildProgram(program, 0, null(), null(), None, null_mut()));
    (program, create!(clCreateKernel(program, c"k".as_ptr())))
}

#[test]
pub fn unified_shared_memory_is_reached_by_host_and_device() {
    let setup = Setup::new();
    for query in [
        cl::CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL,
        cl::CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL,
        cl::CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL,
        cl::CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL,
        cl::CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL,
    ] {
        assert_eq!(answer::<u64>(query), [0xF], "{query:#x}");
    }
    let (program, kernel) = kernel(&setup, "kernel void k(global int *p) { p[get_global_id(0)] += 1; }");
    let mut code = 1;
    let shared = extension!(clSharedMemAllocINTEL(setup.context, setup.device, null(), 256, 0, &mut code));
    assert_eq!(code, cl::CL_SUCCESS);
    let (seven, mut back) = (7i32, [0i32; 64]);
    let none = (0, null(), null_mut());
    let (value, data) = ((&raw const seven).cast(), back.as_mut_ptr().cast());
    assert_eq!(extension!(clEnqueueMemFillINTEL(setup.queue, shared, value, 4, 256, none.0, none.1, none.2)), 0);
    assert_eq!(extension!(clSetKernelArgMemPointerINTEL(kernel, 0, shared)), 0);
    ok!(clEnqueueNDRangeKernel(setup.queue, kernel, 1, null(), &64, null(), 0, null(), null_mut()));
    assert_eq!(extension!(clEnqueueMemcpyINTEL(setup.queue, 1, data, shared, 256, none.0, none.1, none.2)), 0);
    assert_eq!(back, [8; 64]);
    assert_eq!(extension!(clMemBlockingFreeINTEL(setup.context, shared)), 0);
    ok!(clReleaseKernel(kernel));
    ok!(clReleaseProgram(program));
}

#[test]
pub fn a_buffer_is_used_by_its_address() {
    let setup = Setup::new();
    let (program, kernel) = kernel(&setup, "kernel void k(global int *p) { p[get_global_id(0)] += 1; }");
    let list = [cl::CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, 1, 0];
    let flags = cl::CL_MEM_COPY_HOST_PTR;
    let buffer = create!(clCreateBufferWithProperties(setup.context, list.as_ptr(), flags, 64, at(&[7i32; 16])));
    let address: u64 = mem_info(buffer, cl::CL_MEM_DEVICE_ADDRESS_EXT);
    assert_eq!(extension!(clSetKernelArgDevicePointerEXT(kernel, 0, address + 32)), cl::CL_SUCCESS);
    ok!(clEnqueueNDRangeKernel(setup.queue, kernel, 1, null(), &8, null(), 0, null(), null_mut()));
    let expected: Vec<u8> = [[7i32; 8], [8; 8]].concat().into_iter().flat_map(i32::to_ne_bytes).collect();
    assert_eq!(setup.read(buffer), expected);
    release(buffer);
    ok!(clReleaseKernel(kernel));
    ok!(clReleaseProgram(program));
}

#[test]
pub fn an_immutable_buffer_stays_as_it_is() {
    let setup = Setup::new();
    let (bytes, other) = ([9u8; 64], [1u8; 64]);
    let flags = cl::CL_MEM_IMMUTABLE_EXT | cl::CL_MEM_COPY_HOST_PTR;
    let buffer = create!(clCreateBuffer(setup.context, flags, 64, at(&bytes)));
    let code = call!(clEnqueueWriteBuffer(setup.queue, buffer, 1, 0, 64, at(&other), 0, null(), null_mut()));
    assert_eq!(code, cl::CL_INVALID_OPERATION);
    assert_eq!(setup.read(buffer), bytes);
    release(buffer);
}

#[test]
pub fn shared_memory_is_allocated_by_type() {
    let setup = Setup::new();
    let types = answer::<u64>(cl::CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR);
    let mut index = u32::MAX;
    let (context, wanted) = (setup.context, cl::CL_SVM_TYPE_MACRO_FINE_GRAIN_BUFFER_KHR);
    assert_eq!(extension!(clGetSVMSuggestedTypeIndexKHR(context, wanted, 0, null(), 64, &mut index)), 0);
    assert_eq!(types[index as usize] & wanted, wanted);
    let mut code = 1;
    let pointer = extension!(clSVMAllocWithPropertiesKHR(context, null(), index, 64, &mut code));
    assert_eq!(code, cl::CL_SUCCESS);
    let (program, kernel) = kernel(&setup, "kernel void k(global int *p) { p[get_global_id(0)] += 1; }");
    ok!(clSetKernelArgSVMPointer(kernel, 0, pointer));
    ok!(clEnqueueNDRangeKernel(setup.queue, kernel, 1, null(), &16, null(), 0, null(), null_mut()));
    let mut back = [0i32; 16];
    ok!(clEnqueueSVMMemcpy(setup.queue, 1, back.as_mut_ptr().cast(), pointer, 64, 0, null(), null_mut()));
    assert_eq!(back, [1; 16]);
    let mut size = 0usize;
    let (name, place) = (cl::CL_SVM_INFO_SIZE_KHR, (&raw mut size).cast());
    assert_eq!(extension!(clGetSVMPointerInfoKHR(context, null_mut(), pointer, name, 8, place, null_mut())), 0);
    assert_eq!(size, 64);
    assert_eq!(extension!(clSVMFreeWithPropertiesKHR(context, null(), 0, pointer)), cl::CL_SUCCESS);
    ok!(clReleaseKernel(kernel));
    ok!(clReleaseProgram(program));
}

/// Reads memory that it never wrote, and leaves other values there for the next that gets it.
const READS_BEFORE_IT_WRITES: &str = "
    void soil(private uint *words, uint count) {
        for (uint i = 0; i < count; ++i)
            words[i] = 0x55555555;
    }
    uint callee(uint at) {
        uint words[40];
        const uint word = words[at];
        soil(words, 40);
        return word | words[at] ^ 0x55555555;
    }
    kernel void k(global uint *out, local uint *given) {
        local uint own[64];
        const uint id = get_local_id(0);
        uint mine[16], scalar;
        uint4 vector;
        uint seen = own[id] | given[id] | given[id + 64] | mine[id % 16] | scalar | vector.x | vector.w | callee(id % 40);
        barrier(CLK_LOCAL_MEM_FENCE);
        own[63 - id] = given[63 - id] = given[127 - id] = 0xAAAAAAAA;
        soil(mine, 16);
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = seen | (own[id] & given[id] & given[id + 64] & (mine[id % 16] << 1)) ^ 0xAAAAAAAA;
    }
";

#[test]
pub fn local_and_private_memory_begins_as_zeros() {
    const ITEMS: usize = 64 * 50;
    let setup = Setup::new();
    let kinds = cl::CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR | cl::CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR;
    let name = cl::CL_CONTEXT_MEMORY_INITIALIZE_KHR as cl::cl_context_properties;
    let list = [name, kinds as cl::cl_context_properties, 0];
    let context = create!(clCreateContext(list.as_ptr(), 1, &setup.device, None, null_mut()));
    let queue = create!(clCreateCommandQueueWithProperties(context, setup.device, null()));
    let text = std::ffi::CString::new(READS_BEFORE_IT_WRITES).expect("a text");
    let mut strings = [text.as_ptr()];
    let buffer = create!(clCreateBuffer(context, 0, ITEMS * 4, null_mut()));
    for options in [c"", c"-cl-opt-disable", c"-oxicl-lanes=8"] {
        let program = create!(clCreateProgramWithSource(context, 1, strings.as_mut_ptr(), null()));
        ok!(clBuildProgram(program, 0, null(), options.as_ptr(), None, null_mut()));
        let kernel = create!(clCreateKernel(program, c"k".as_ptr()));
        ok!(clSetKernelArg(kernel, 0, size_of::<cl::cl_mem>(), (&raw const buffer).cast()));
        ok!(clSetKernelArg(kernel, 1, 128 * 4, null()));
        for _ in 0..2 {
            let mut words = vec![1_u32; ITEMS];
            ok!(clEnqueueNDRangeKernel(queue, kernel, 1, null(), &ITEMS, &64, 0, null(), null_mut()));
            let place = words.as_mut_ptr().cast();
            ok!(clEnqueueReadBuffer(queue, buffer, cl::CL_TRUE, 0, ITEMS * 4, place, 0, null(), null_mut()));
            let found = words.iter().position(|word| *word != 0);
            assert_eq!(found.map(|at| (at, words[at])), None, "{options:?}");
        }
        ok!(clReleaseKernel(kernel));
        ok!(clReleaseProgram(program));
    }
    ok!(clReleaseMemObject(buffer));
    ok!(clReleaseCommandQueue(queue));
    ok!(clReleaseContext(context));
    let wrong = [name, 4, 0];
    let mut code = 0;
    call!(clCreateContext(wrong.as_ptr(), 1, &setup.device, None, null_mut(), &mut code));
    assert_eq!(code, cl::CL_INVALID_PROPERTY);
}
