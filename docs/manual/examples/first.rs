//! Adds two vectors on the first CPU device that any platform has.

use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_TYPE_CPU, Device, get_all_devices};
use opencl3::kernel::{ExecuteKernel, Kernel};
use opencl3::memory::{Buffer, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY};
use opencl3::program::Program;
use opencl3::types::{CL_BLOCKING, CL_NON_BLOCKING, cl_float};

const SOURCE: &str = "
kernel void add(global const float *a, global const float *b, global float *sum)
{
    size_t i = get_global_id(0);
    sum[i] = a[i] + b[i];
}";
const COUNT: usize = 1 << 20;

pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let id = *get_all_devices(CL_DEVICE_TYPE_CPU)?.first().ok_or("no platform has a CPU device")?;
    let device = Device::new(id);
    let context = Context::from_device(&device)?;
    let queue = CommandQueue::create_default_with_properties(&context, 0, 0)?;
    let program = Program::create_and_build_from_source(&context, SOURCE, "")?;
    let kernel = Kernel::create(&program, "add")?;

    let a: Vec<cl_float> = (0..COUNT).map(|i| i as f32).collect();
    let b: Vec<cl_float> = a.iter().map(|a| 2.0 * a).collect();
    let mut total = vec![0.0; COUNT];
    // SAFETY: the buffers have COUNT elements, the kernel's arguments are of its types, and each of its work-items
    // touches one element of each buffer.
    unsafe {
        let mut first = Buffer::<cl_float>::create(&context, CL_MEM_READ_ONLY, COUNT, std::ptr::null_mut())?;
        let mut second = Buffer::<cl_float>::create(&context, CL_MEM_READ_ONLY, COUNT, std::ptr::null_mut())?;
        let result = Buffer::<cl_float>::create(&context, CL_MEM_WRITE_ONLY, COUNT, std::ptr::null_mut())?;
        queue.enqueue_write_buffer(&mut first, CL_BLOCKING, 0, &a, &[])?;
        queue.enqueue_write_buffer(&mut second, CL_BLOCKING, 0, &b, &[])?;
        let launch = ExecuteKernel::new(&kernel)
            .set_arg(&first)
            .set_arg(&second)
            .set_arg(&result)
            .set_global_work_size(COUNT)
            .enqueue_nd_range(&queue)?;
        queue.enqueue_read_buffer(&result, CL_NON_BLOCKING, 0, &mut total, &[launch.get()])?;
        queue.finish()?;
    }
    let wrong = total.iter().enumerate().filter(|(i, sum)| **sum != 3.0 * *i as f32).count();
    println!("{}: {COUNT} sums, {wrong} wrong", device.name()?);
    if wrong == 0 { Ok(()) } else { Err("wrong sums".into()) }
}
