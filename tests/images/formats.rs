//! `clGetSupportedImageFormats`: what is listed is there.

use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::picture::desc;
use crate::support::{Setup, call, create, ok, release, table};

fn formats(setup: &Setup, flags: u64, image_type: u32) -> Vec<(u32, u32)> {
    let mut count = 0;
    ok!(clGetSupportedImageFormats(setup.context, flags, image_type, 0, null_mut(), &mut count));
    let mut list = vec![cl::cl_image_format { image_channel_order: 0, image_channel_data_type: 0 }; count as usize];
    ok!(clGetSupportedImageFormats(setup.context, flags, image_type, count, list.as_mut_ptr(), null_mut()));
    list.iter().map(|format| (format.image_channel_order, format.image_channel_data_type)).collect()
}

const ALL_TYPES: [u32; 6] = [
    cl::CL_MEM_OBJECT_IMAGE1D,
    cl::CL_MEM_OBJECT_IMAGE1D_BUFFER,
    cl::CL_MEM_OBJECT_IMAGE1D_ARRAY,
    cl::CL_MEM_OBJECT_IMAGE2D,
    cl::CL_MEM_OBJECT_IMAGE2D_ARRAY,
    cl::CL_MEM_OBJECT_IMAGE3D,
];

const FOUR: [u32; 10] = [
    cl::CL_UNORM_INT8,
    cl::CL_UNORM_INT16,
    cl::CL_SIGNED_INT8,
    cl::CL_SIGNED_INT16,
    cl::CL_SIGNED_INT32,
    cl::CL_UNSIGNED_INT8,
    cl::CL_UNSIGNED_INT16,
    cl::CL_UNSIGNED_INT32,
    cl::CL_HALF_FLOAT,
    cl::CL_FLOAT,
];

#[test]
fn every_type_has_at_least_the_formats_of_the_specification() {
    let setup = Setup::new();
    for image_type in ALL_TYPES {
        for flags in [cl::CL_MEM_READ_ONLY, cl::CL_MEM_WRITE_ONLY, cl::CL_MEM_READ_WRITE] {
            let list = formats(&setup, flags, image_type);
            for data_type in FOUR {
                assert!(list.contains(&(cl::CL_RGBA, data_type)), "{image_type:#x} {flags} {data_type:#x}");
            }
            assert!(list.contains(&(cl::CL_BGRA, cl::CL_UNORM_INT8)));
            // Images of other types have no depths.
            let flat = matches!(image_type, cl::CL_MEM_OBJECT_IMAGE2D | cl::CL_MEM_OBJECT_IMAGE2D_ARRAY);
            assert_eq!(list.contains(&(cl::CL_DEPTH, cl::CL_FLOAT)), flat, "{image_type:#x}");
            assert!(list.contains(&(cl::CL_sRGBA, cl::CL_UNORM_INT8)));
            let mut once = list.clone();
            once.sort_unstable();
            once.dedup();
            assert_eq!(once.len(), list.len());
        }
        let both = formats(&setup, cl::CL_MEM_KERNEL_READ_AND_WRITE, image_type);
        for order in [cl::CL_R, cl::CL_RGBA] {
            for data_type in FOUR.into_iter().filter(|kind| *kind != cl::CL_UNORM_INT16) {
                assert!(both.contains(&(order, data_type)), "{image_type:#x} {order:#x} {data_type:#x}");
            }
        }
    }
}

#[test]
fn an_image_of_every_listed_format_can_be_created() {
    let setup = Setup::new();
    let buffer = setup.buffer(0, 64 * 16);
    for image_type in ALL_TYPES {
        for (order, data_type) in formats(&setup, cl::CL_MEM_READ_ONLY, image_type) {
            let format = cl::cl_image_format { image_channel_order: order, image_channel_data_type: data_type };
            let mut desc = desc(image_type, [8, 4, 2]);
            if image_type == cl::CL_MEM_OBJECT_IMAGE1D_BUFFER {
                desc.mem_object = buffer;
            }
            let image = create!(clCreateImage(setup.context, cl::CL_MEM_READ_ONLY, &format, &desc, null_mut()));
            let mut answer = cl::cl_image_format { image_channel_order: 0, image_channel_data_type: 0 };
            let place = (&raw mut answer).cast();
            ok!(clGetImageInfo(image, cl::CL_IMAGE_FORMAT, size_of_val(&answer), place, null_mut()));
            assert_eq!((answer.image_channel_order, answer.image_channel_data_type), (order, data_type));
            release(image);
        }
    }
    release(buffer);
}

#[test]
fn errors_of_asking_for_formats() {
    let setup = Setup::new();
    let (context, flat) = (setup.context, cl::CL_MEM_OBJECT_IMAGE2D);
    let mut format = cl::cl_image_format { image_channel_order: 0, image_channel_data_type: 0 };
    let ask = |context, flags, image_type| {
        call!(clGetSupportedImageFormats(context, flags, image_type, 0, null_mut(), null_mut()))
    };
    let refused = cl::cl_image_format { image_channel_order: cl::CL_RGB, image_channel_data_type: cl::CL_FLOAT };
    let impossible =
        cl::cl_image_format { image_channel_order: cl::CL_RGBA, image_channel_data_type: cl::CL_UNORM_SHORT_565 };
    let create = |format: *const cl::cl_image_format, image_type| {
        let desc = desc(image_type, [4, 4, 4]);
        crate::support::code_of!(clCreateImage(context, 0, format, &desc, null_mut()))
    };
    let depth = cl::cl_image_format { image_channel_order: cl::CL_DEPTH, image_channel_data_type: cl::CL_FLOAT };
    table! {
        "no context" => CL_INVALID_CONTEXT, ask(null_mut(), 0, flat);
        "queue as context" => CL_INVALID_CONTEXT, ask(setup.queue.cast(), 0, flat);
        "buffer" => CL_INVALID_VALUE, ask(context, 0, cl::CL_MEM_OBJECT_BUFFER);
        "unknown flag" => CL_INVALID_VALUE, ask(context, 1 << 50, flat);
        "list without places" => CL_INVALID_VALUE,
            call!(clGetSupportedImageFormats(context, 0, flat, 0, &mut format, null_mut()));
        "nothing wanted" => CL_SUCCESS, ask(context, 0, flat);
        "null format" => CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, create(null(), flat);
        "no format" => CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, create(&format, flat);
        "order without type" => CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, create(&impossible, flat);
        "format that is not there" => CL_IMAGE_FORMAT_NOT_SUPPORTED, create(&refused, flat);
        "depths in three dimensions" => CL_IMAGE_FORMAT_NOT_SUPPORTED, create(&depth, cl::CL_MEM_OBJECT_IMAGE3D);
    }
}
