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
