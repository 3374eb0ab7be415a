//! Extensions of languages that the device's own compiler takes.

use std::ffi::{CStr, c_char};
use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::support::{Setup, call, create, ok};

/// What kernel `k` of a source leaves in its only argument.
fn result(s: &Setup, source: &CStr, options: &CStr) -> u32 {
    results(s, source, options, 1)[0]
}

/// What kernel `k` of a source leaves in its only argument, which has a number for each work-item of the one work-group.
fn results(s: &Setup, source: &CStr, options: &CStr, items: usize) -> Vec<u32> {
    let mut strings: [*const c_char; 1] = [source.as_ptr()];
    let program = create!(clCreateProgramWithSource(s.context, 1, strings.as_mut_ptr(), null()));
    let mut log = [0_u8; 4096];
    let code = call!(clBuildProgram(program, 0, null(), options.as_ptr(), None, null_mut()));
    call!(clGetProgramBuildInfo(
        program,
        s.device,
        cl::CL_PROGRAM_BUILD_LOG,
        log.len(),
        log.as_mut_ptr().cast(),
        null_mut()
    ));
    assert_eq!(code, cl::CL_SUCCESS, "{options:?}: {}", String::from_utf8_lossy(&log));
    let kernel = create!(clCreateKernel(program, c"k".as_ptr()));
    let out = s.filled(&vec![0; items * 4]);
    ok!(clSetKernelArg(kernel, 0, size_of::<cl::cl_mem>(), (&raw const out).cast()));
    ok!(clEnqueueNDRangeKernel(s.queue, kernel, 1, null(), &items, &items, 0, null(), null_mut()));
    let bytes = s.read(out);
    let numbers = bytes.chunks_exact(4).map(|number| u32::from_ne_bytes(number.try_into().expect("four bytes")));
    let numbers = numbers.collect();
    ok!(clReleaseKernel(kernel));
    ok!(clReleaseMemObject(out));
    ok!(clReleaseProgram(program));
    numbers
}

#[test]
pub fn sub_groups_make_progress_of_their_own() {
    let s = Setup::new();
    assert_eq!(s.device_number::<u32>(cl::CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS), cl::CL_TRUE);
    // Each sub-group waits for the one behind it.
    let source = c"
        #pragma OPENCL EXTENSION cl_khr_subgroups : enable
        kernel void k(global uint *out) {
            local atomic_uint turn;
            uint mine = get_num_sub_groups() - 1 - get_sub_group_id();
            if (get_local_id(0) == 0) atomic_init(&turn, 0);
            barrier(CLK_LOCAL_MEM_FENCE);
            if (get_sub_group_local_id() == 0)
                while (atomic_load(&turn) != mine);
            uint order = sub_group_broadcast(atomic_load(&turn), 0);
            if (get_sub_group_local_id() == 0) atomic_store(&turn, mine + 1);
            out[get_global_id(0)] = order;
        }";
    for options in [c"-cl-std=CL2.0", c"-cl-std=CL3.0", c"-cl-std=CL3.0 -cl-opt-disable"] {
        let orders = results(&s, source, options, 100);
        assert!(orders.is_sorted_by(|a, b| a == b || *a == b + 1), "{options:?}: {orders:?}");
        assert!(orders[0] > 0 && orders[99] == 0, "{options:?}: {orders:?}");
    }
}

#[test]
pub fn cpp_for_opencl_is_compiled() {
    let s = Setup::new();
    let source = c"
        template <typename T> T twice(T x) { return x + x; }
        struct counter { uint value; counter(uint start) : value(start) {} void operator++() { value = twice(value); } };
        kernel void k(global uint *out) { counter c(5); ++c; auto add = [&](uint x) { return c.value + x; }; *out = add(1); }";
    for options in [c"-cl-std=CLC++", c"-cl-std=CLC++1.0", c"-cl-std=CLC++2021"] {
        assert_eq!(result(&s, source, options), 11, "{options:?}");
    }
    let version: u32 = s.device_number(cl::CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT);
    let (major, minor) = (version >> 22, version >> 12 & 0x3FF);
    let macro_value =
        result(&s, c"kernel void k(global uint *out) { *out = __OPENCL_CPP_VERSION__; }", c"-cl-std=CLC++");
    assert_eq!(macro_value, major * 100 + minor * 10);
}
