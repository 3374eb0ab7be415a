//! Images, pipes, samplers, queues on the device, built-in kernels, and programs from source: the device has none, and
//! says so.

use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::support::{Setup, call, code_of, ok, release, table};

const FORMAT: cl::cl_image_format =
    cl::cl_image_format { image_channel_order: cl::CL_RGBA, image_channel_data_type: cl::CL_UNORM_INT8 };

#[test]
fn nothing_of_the_kind_can_be_created() {
    let setup = Setup::new();
    let (context, queue) = (setup.context, setup.queue);
    let wrong: cl::cl_context = queue.cast();
    let images: cl::cl_bool = setup.device_number(cl::CL_DEVICE_IMAGE_SUPPORT);
    assert_eq!(images, cl::CL_FALSE);
    let image = |context| code_of!(clCreateImage(context, 0, &FORMAT, null(), null_mut()));
    let with = |context| code_of!(clCreateImageWithProperties(context, null(), 0, &FORMAT, null(), null_mut()));
    let flat = |context| code_of!(clCreateImage2D(context, 0, &FORMAT, 4, 4, 0, null_mut()));
    let deep = |context| code_of!(clCreateImage3D(context, 0, &FORMAT, 4, 4, 4, 0, 0, null_mut()));
    let pipe = |context| code_of!(clCreatePipe(context, 0, 4, 4, null()));
    let sampler = |context| code_of!(clCreateSamplerWithProperties(context, null()));
    let old_sampler =
        |context| code_of!(clCreateSampler(context, cl::CL_TRUE, cl::CL_ADDRESS_NONE, cl::CL_FILTER_NEAREST));
    table! {
        "image" => CL_INVALID_OPERATION, image(context);
        "image of a queue" => CL_INVALID_CONTEXT, image(wrong);
        "image of nothing" => CL_INVALID_CONTEXT, image(null_mut());
        "image with properties" => CL_INVALID_OPERATION, with(context);
        "image with properties of a queue" => CL_INVALID_CONTEXT, with(wrong);
        "flat image" => CL_INVALID_OPERATION, flat(context);
        "flat image of a queue" => CL_INVALID_CONTEXT, flat(wrong);
        "deep image" => CL_INVALID_OPERATION, deep(context);
        "deep image of a queue" => CL_INVALID_CONTEXT, deep(wrong);
        "pipe" => CL_INVALID_OPERATION, pipe(context);
        "pipe of a queue" => CL_INVALID_CONTEXT, pipe(wrong);
        "sampler" => CL_INVALID_OPERATION, sampler(context);
        "sampler of a queue" => CL_INVALID_CONTEXT, sampler(wrong);
        "old sampler" => CL_INVALID_OPERATION, old_sampler(context);
        "old sampler of a queue" => CL_INVALID_CONTEXT, old_sampler(wrong);
    }
}

#[test]
fn no_object_is_an_image_a_pipe_or_a_sampler() {
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
fn commands_on_images_are_refused() {
    let setup = Setup::new();
    let (queue, buffer) = (setup.queue, setup.buffer(0, 64));
    let wrong: cl::cl_command_queue = setup.context.cast();
    let (at, size) = ([0usize; 3].as_ptr(), [1usize; 3].as_ptr());
    let mut memory = [0u8; 64];
    let host = memory.as_mut_ptr().cast();
    let (none, event) = (null(), null_mut());
    let read =
        |queue, image| call!(clEnqueueReadImage(queue, image, cl::CL_TRUE, at, size, 0, 0, host, 0, none, event));
    let write =
        |queue, image| call!(clEnqueueWriteImage(queue, image, cl::CL_TRUE, at, size, 0, 0, host, 0, none, event));
    let fill = |queue, image| call!(clEnqueueFillImage(queue, image, host, at, size, 0, none, event));
    let copy = |queue, image| call!(clEnqueueCopyImage(queue, image, image, at, at, size, 0, none, event));
    let from = |queue, image| call!(clEnqueueCopyImageToBuffer(queue, image, buffer, at, size, 0, 0, none, event));
    let to = |queue, image| call!(clEnqueueCopyBufferToImage(queue, buffer, image, 0, at, size, 0, none, event));
    let (row, slice) = (null_mut(), null_mut());
    let map = |queue, image| {
        code_of!(clEnqueueMapImage(queue, image, cl::CL_TRUE, cl::CL_MAP_READ, at, size, row, slice, 0, none, event))
    };
    for (name, command) in [
        ("read", &read as &dyn Fn(_, _) -> _),
        ("write", &write),
        ("fill", &fill),
        ("copy", &copy),
        ("copy to buffer", &from),
        ("copy from buffer", &to),
        ("map", &map),
    ] {
        assert_eq!(command(queue, buffer), cl::CL_INVALID_OPERATION, "{name}");
        assert_eq!(command(wrong, buffer), cl::CL_INVALID_COMMAND_QUEUE, "{name}");
        assert_eq!(command(queue, null_mut()), cl::CL_INVALID_MEM_OBJECT, "{name}");
        assert_eq!(command(queue, setup.context.cast()), cl::CL_INVALID_MEM_OBJECT, "{name}");
    }
    release(buffer);
}

#[test]
fn there_are_no_image_formats() {
    let setup = Setup::new();
    let mut count = 7;
    let mut format = FORMAT;
    let (flat, buffer) = (cl::CL_MEM_OBJECT_IMAGE2D, cl::CL_MEM_OBJECT_BUFFER);
    ok!(clGetSupportedImageFormats(setup.context, cl::CL_MEM_READ_ONLY, flat, 0, null_mut(), &mut count));
    assert_eq!(count, 0);
    let wrong: cl::cl_context = setup.queue.cast();
    table! {
        "queue as context" => CL_INVALID_CONTEXT,
            call!(clGetSupportedImageFormats(wrong, cl::CL_MEM_READ_ONLY, flat, 0, null_mut(), &mut count));
        "buffer as image type" => CL_INVALID_VALUE,
            call!(clGetSupportedImageFormats(setup.context, 0, buffer, 0, null_mut(), &mut count));
        "unknown flag" => CL_INVALID_VALUE,
            call!(clGetSupportedImageFormats(setup.context, 1 << 50, flat, 0, null_mut(), &mut count));
        "list without places" => CL_INVALID_VALUE,
            call!(clGetSupportedImageFormats(setup.context, 0, flat, 0, &mut format, &mut count));
    }
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
