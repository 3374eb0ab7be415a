//! The processor that code is generated for, as an application sees it.

use oxicl_tests::client::{Buffer, Context, Platform, Program};

use super::identity::{failed, number};
use crate::Outcome;

const CL_DEVICE_SINGLE_FP_CONFIG: u32 = 0x101B;
const CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT: u32 = 0x103A;
const CL_FP_FMA: u32 = 1 << 5;

/// What depends on the processor, and what must not: its last bits show whether a product was rounded before it was added to,
/// and how halves were.
const KERNEL: &str = "kernel void k(global uint *size, global float *results, global half *halves) {
    size_t i = get_global_id(0);
    float x = 1.0f + i * 0x1p-20f;
    size[i] = get_max_sub_group_size();
    vstore_half(x * 0.1f, i, halves);
    results[i] = fma(x, x, -1.0f) + vload_half(i, halves);
}";

/// Work-items.
const COUNT: usize = 64;

/// Prints what the device says of its vectors, and what a kernel finds.
pub fn tells_its_processor() -> Outcome {
    let device = Platform::first().and_then(Platform::device).map_err(failed)?;
    println!("device: {}", device.name().map_err(failed)?);
    println!("floats: {}", number(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT)?);
    println!("fast fma: {}", number(device, CL_DEVICE_SINGLE_FP_CONFIG)? & CL_FP_FMA != 0);
    let context = Context::new(device).map_err(failed)?;
    let program = Program::build_source(&context, KERNEL, "-cl-std=CL3.0").map_err(|error| error.to_string())?;
    let (kernel, queue) = (program.kernel("k").map_err(failed)?, context.queue().map_err(failed)?);
    let size = Buffer::<u32>::new(&context, COUNT).map_err(failed)?;
    let results = Buffer::<f32>::new(&context, COUNT).map_err(failed)?;
    let halves = Buffer::<u16>::new(&context, COUNT).map_err(failed)?;
    kernel.set_buffer(0, &size).and_then(|()| kernel.set_buffer(1, &results)).map_err(failed)?;
    kernel.set_buffer(2, &halves).map_err(failed)?;
    queue.launch(&kernel, [COUNT], None).map_err(failed)?;
    println!("sub-group: {}", queue.read(&size).map_err(failed)?[0]);
    let bits: Vec<String> =
        queue.read(&results).map_err(failed)?.iter().map(|x| format!("{:08x}", x.to_bits())).collect();
    println!("results: {}", bits.join(" "));
    Ok(())
}
