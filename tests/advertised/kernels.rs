//! Extensions that show in kernels of OpenCL C.

use std::fmt::Debug;

use oxicl_tests::client::{Buffer, Plain, Program};
use oxicl_tests::offline::{Level, compile};

/// Runs `kernel void k(global T *data)` with work-groups of `local`, as clang leaves it and as it optimises it; both
/// must give `expected`.
fn assert_result<T: Plain + Default + PartialEq + Debug>(
    source: &str,
    global: usize,
    local: usize,
    data: &[T],
    expected: &[T],
) {
    let session = oxicl_tests::session();
    for level in [Level::Plain, Level::Optimised] {
        let module = compile(source, level).unwrap_or_else(|log| panic!("{log}"));
        let program = Program::build(&session.context, &module, "").unwrap_or_else(|error| panic!("{error}"));
        let kernel = program.kernel("k").unwrap();
        let buffer = Buffer::from_slice(&session.context, data).unwrap();
        kernel.set_buffer(0, &buffer).unwrap();
        session.queue.launch(&kernel, [global], Some([local])).unwrap();
        assert_eq!(session.queue.read(&buffer).unwrap(), expected, "{level:?}");
    }
}

#[test]
pub fn bytes_are_stored_one_by_one() {
    let source = "kernel void k(global uchar *data) { size_t i = get_global_id(0); data[2 * i + 1] = (uchar)(i + 1); }";
    assert_result(source, 4, 2, &[9u8; 8], &[9, 1, 9, 2, 9, 3, 9, 4]);
}

#[test]
pub fn double_precision_computes() {
    let source =
        "kernel void k(global double *data) { size_t i = get_global_id(0); data[i] = data[i] / 3.0 + 1e-300; }";
    assert_result(source, 2, 1, &[1.0f64, 2.0], &[1.0 / 3.0, 2.0 / 3.0]);
}

#[test]
pub fn half_precision_computes() {
    // 1.5 + 2.25 = 3.75; 2048 + 1 rounds to 2048, which a sum in float would not.
    let source = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n\
        kernel void k(global half *data) { data[0] = data[0] + data[1]; data[2] = (data[2] + (half)1) - data[2]; }";
    assert_result(source, 1, 1, &[0x3E00u16, 0x4080, 0x6800], &[0x4380, 0x4080, 0x0000]);
}

#[test]
pub fn global_atomics_count() {
    let source = "kernel void k(global uint *data) {\n\
        atomic_add(data, 2); atomic_sub(data + 1, 1); atomic_inc(data + 2); atomic_dec(data + 3);\n\
        atomic_xchg(data + 4, 7); atomic_cmpxchg(data + 5, 1, 3); }";
    assert_result(source, 64, 16, &[0u32, 64, 0, 64, 0, 1], &[128, 0, 64, 0, 7, 3]);
}

#[test]
pub fn global_atomics_find_extremes() {
    let source = "kernel void k(global int *data) {\n\
        int i = get_global_id(0); atomic_min(data, i - 5); atomic_max(data + 1, i);\n\
        atomic_and(data + 2, ~(1 << (i % 8))); atomic_or(data + 3, 1 << (i % 8)); atomic_xor(data + 4, i); }";
    let xor = (0..64).fold(0, |all, i| all ^ i);
    assert_result(source, 64, 16, &[0i32, 0, 0xFFFF, 0, 0], &[-5, 63, 0xFF00, 0xFF, xor]);
}

#[test]
pub fn local_atomics_count() {
    let source = "kernel void k(global uint *data) { local uint count; if (get_local_id(0) == 0) count = 0;\n\
        barrier(CLK_LOCAL_MEM_FENCE); atomic_add(&count, 3); barrier(CLK_LOCAL_MEM_FENCE);\n\
        if (get_local_id(0) == 0) data[get_group_id(0)] = count; }";
    assert_result(source, 64, 16, &[0u32; 4], &[48; 4]);
}

#[test]
pub fn local_atomics_find_extremes() {
    let source = "kernel void k(global int *data) { local int top; if (get_local_id(0) == 0) top = -1;\n\
        barrier(CLK_LOCAL_MEM_FENCE); atomic_max(&top, (int)get_global_id(0)); barrier(CLK_LOCAL_MEM_FENCE);\n\
        if (get_local_id(0) == 0) data[get_group_id(0)] = top; }";
    assert_result(source, 64, 16, &[0i32; 4], &[15, 31, 47, 63]);
}

#[test]
pub fn long_atomics_count() {
    let source = "kernel void k(volatile global atomic_ulong *data) {\n\
        atomic_fetch_add(data, 0x100000001UL); atomic_fetch_sub(data + 1, 1UL); }";
    assert_result(source, 64, 16, &[0u64, 1 << 40], &[64 * 0x1_0000_0001, (1 << 40) - 64]);
}

#[test]
pub fn long_atomics_find_extremes() {
    let source = "kernel void k(volatile global atomic_long *data) { long i = get_global_id(0);\n\
        atomic_fetch_min(data, -(i << 40)); atomic_fetch_max(data + 1, i << 40); atomic_fetch_or(data + 2, 1L << i); }";
    assert_result(source, 64, 16, &[0i64, 0, 0], &[-(63 << 40), 63 << 40, -1]);
}
