//! Launches that touch more memory than the caches hold: they write with streaming stores.

use oxicl_caps::DeviceCaps;
use oxicl_tests::client::{Buffer, Program};
use oxicl_tests::offline::{Level, compile};

/// Bytes, more than the driver takes the last cache to have where the system does not report it.
const USUAL: u64 = 64 << 20;

#[test]
fn a_large_launch_writes_each_element_once_whatever_the_alignment_of_its_rows() {
    if oxicl_tests::is_reference() {
        return;
    }
    const WIDTH: usize = 4096;
    let cache = match DeviceCaps::host().cpu.caches.last {
        0 => USUAL,
        known => known,
    };
    let rows = cache as usize / (WIDTH * size_of::<u32>()) + 1;
    let session = oxicl_tests::session();
    let source = "kernel void k(global uint *out, uint pitch, uint seed) {
        size_t x = get_global_id(0), y = get_global_id(1);
        out[y * pitch + x] = (uint)(y * pitch + x) * 0x9e3779b9u + seed; }";
    let program = Program::build(&session.context, &compile(source, Level::Plain).expect("compiled"), "");
    let kernel = program.unwrap_or_else(|error| panic!("{error}")).kernel("k").expect("the kernel");
    // The second pitch is no multiple of a cache line: the rows behind the first start in the middle of one.
    for (seed, pitch) in (7u32..).zip([WIDTH, WIDTH + 5, WIDTH]) {
        let out = Buffer::from_slice(&session.context, &vec![0u32; rows * pitch]).expect("a buffer");
        kernel.set_buffer(0, &out).and_then(|()| kernel.set(1, pitch as u32)).expect("arguments");
        kernel.set(2, seed).expect("an argument");
        session.queue.launch(&kernel, [WIDTH, rows], None).expect("enqueued");
        let found = session.queue.read(&out).expect("content");
        let is_right = |(at, value): (usize, &u32)| {
            let wanted = if at % pitch < WIDTH { (at as u32).wrapping_mul(0x9e37_79b9).wrapping_add(seed) } else { 0 };
            *value == wanted
        };
        assert!(found.iter().enumerate().all(is_right), "pitch {pitch}");
    }
}
