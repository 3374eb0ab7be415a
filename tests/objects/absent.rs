//! Pipes, queues on the device and built-in kernels: the device has none, and says so.

use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::support::{Setup, call, code_of, release, table};

#[test]
fn no_pipe_can_be_created() {
    let setup = Setup::new();
    let wrong: cl::cl_context = setup.queue.cast();
    let pipe = |context| code_of!(clCreatePipe(context, 0, 4, 4, null()));
    table! {
        "pipe" => CL_INVALID_OPERATION, pipe(setup.context);
        "pipe of a queue" => CL_INVALID_CONTEXT, pipe(wrong);
    }
}

#[test]
fn a_buffer_is_no_image_no_pipe_and_no_sampler() {
    let setup = Setup::new();
    let buffer = setup.buffer(0, 64);
    let sampler: cl::cl_sampler = buffer.cast();
    table! {
        "buffer as image" => CL_INVALID_MEM_OBJECT,
            call!(clGetImageInfo(buffer, cl::CL_IMAGE_WIDTH, 0, null_mut(), null_mut()));
        "buffer as pipe" => CL_INVALID_MEM_OBJECT,
            call!(clGetPipeInfo(buffer, cl::CL_PIPE_PACKET_SIZE, 0, null_mut(), null_mut()));
        "retaining a buffer as sampler" => CL_INVALID_SAMPLER, call!(clRetainSampler(sampler));
        "releasing a buffer as sampler" => CL_INVALID_SAMPLER, call!(clReleaseSampler(sampler));
        "asking a buffer as sampler" => CL_INVALID_SAMPLER,
            call!(clGetSamplerInfo(sampler, cl::CL_SAMPLER_CONTEXT, 0, null_mut(), null_mut()));
    }
    release(buffer);
}

#[test]
fn there_are_no_queues_on_the_device_and_no_built_in_kernels() {
    let setup = Setup::new();
    let (context, device, queue) = (setup.context, setup.device, setup.queue);
    let on_device = cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | cl::CL_QUEUE_ON_DEVICE;
    let list = [cl::cl_queue_properties::from(cl::CL_QUEUE_PROPERTIES), on_device, 0];
    let name = c"some_kernel".as_ptr();
    table! {
        "queue on the device" => CL_INVALID_QUEUE_PROPERTIES,
            code_of!(clCreateCommandQueueWithProperties(context, device, list.as_ptr()));
        "default queue on the device" => CL_INVALID_OPERATION,
            call!(clSetDefaultDeviceCommandQueue(context, device, queue));
        "default queue on a device that is none" => CL_INVALID_DEVICE,
            call!(clSetDefaultDeviceCommandQueue(context, context.cast(), queue));
        "built-in kernel" => CL_INVALID_VALUE, code_of!(clCreateProgramWithBuiltInKernels(context, 1, &device, name));
        "built-in kernel without a name" => CL_INVALID_VALUE,
            code_of!(clCreateProgramWithBuiltInKernels(context, 1, &device, null()));
    }
}
