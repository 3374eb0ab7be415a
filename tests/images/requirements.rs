//! `clGetImageRequirementsInfoEXT`: what it says holds for images, and its errors.

use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::picture::{TEXELS, TYPES, cut, desc, format};
use crate::support::{Setup, create, extension, mem_info, release, table};

type Format<'a> = Option<&'a cl::cl_image_format>;
type Desc<'a> = Option<&'a cl::cl_image_desc>;

fn pointer<T>(value: Option<&T>) -> *const T {
    value.map_or(null(), std::ptr::from_ref)
}

/// The answer, of which the size is that of its type.
fn ask<T: Default>(setup: &Setup, format: Format<'_>, desc: Desc<'_>, name: u32) -> Result<T, i32> {
    let (mut value, mut size) = (T::default(), 0);
    let place = (&raw mut value).cast();
    let (format, desc) = (pointer(format), pointer(desc));
    let code = extension!(clGetImageRequirementsInfoEXT(
        setup.context,
        null(),
        0,
        format,
        desc,
        name,
        size_of::<T>(),
        place,
        &mut size
    ));
    if code == cl::CL_SUCCESS {
        assert_eq!(size, size_of::<T>(), "{name:#x}");
        Ok(value)
    } else {
        Err(code)
    }
}

#[test]
pub fn an_image_fits_in_a_buffer_of_the_size_that_it_is_said_to_need() {
    let setup = Setup::new();
    for image_type in TYPES {
        for texel in TEXELS {
            let (form, mut shape) = (format(texel), desc(image_type, cut(image_type, [5, 4, 3])));
            let size = ask::<usize>(&setup, Some(&form), Some(&shape), cl::CL_IMAGE_REQUIREMENTS_SIZE_EXT);
            let size = size.expect("a size");
            for name in [
                cl::CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT,
                cl::CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT,
                cl::CL_IMAGE_REQUIREMENTS_SLICE_PITCH_ALIGNMENT_EXT,
            ] {
                let alignment = ask::<usize>(&setup, Some(&form), Some(&shape), name).expect("an alignment");
                let of_all = ask::<usize>(&setup, None, None, name).expect("an alignment");
                assert!(alignment.is_power_of_two() && alignment <= of_all, "{name:#x}");
            }
            shape.mem_object = setup.buffer(0, size);
            let image = create!(clCreateImage(setup.context, 0, &form, &shape, null_mut()));
            assert_eq!(mem_info::<usize>(image, cl::CL_MEM_SIZE), size);
            release(image);
            release(shape.mem_object);
        }
    }
}

#[test]
fn sides_can_be_as_long_as_the_device_says() {
    let setup = Setup::new();
    let flat: usize = setup.device_number(cl::CL_DEVICE_IMAGE2D_MAX_WIDTH);
    let deep: usize = setup.device_number(cl::CL_DEVICE_IMAGE3D_MAX_WIDTH);
    let long: usize = setup.device_number(cl::CL_DEVICE_IMAGE_MAX_BUFFER_SIZE);
    let layers: usize = setup.device_number(cl::CL_DEVICE_IMAGE_MAX_ARRAY_SIZE);
    let none = Err(cl::CL_INVALID_IMAGE_DESCRIPTOR);
    let size = |side: usize| Ok(side as u32);
    for (image_type, expected) in [
        (cl::CL_MEM_OBJECT_IMAGE1D, [size(flat), none, none, none]),
        (cl::CL_MEM_OBJECT_IMAGE1D_BUFFER, [size(long), none, none, none]),
        (cl::CL_MEM_OBJECT_IMAGE1D_ARRAY, [size(flat), none, none, size(layers)]),
        (cl::CL_MEM_OBJECT_IMAGE2D, [size(flat), size(flat), none, none]),
        (cl::CL_MEM_OBJECT_IMAGE2D_ARRAY, [size(flat), size(flat), none, size(layers)]),
        (cl::CL_MEM_OBJECT_IMAGE3D, [size(deep), size(deep), size(deep), none]),
        (0, [size(deep), size(deep), size(deep), size(layers)]),
        (cl::CL_MEM_OBJECT_BUFFER, [none; 4]),
    ] {
        let shape = cl::cl_image_desc { image_type, ..desc(cl::CL_MEM_OBJECT_IMAGE2D, [0; 3]) };
        let found = [
            cl::CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT,
            cl::CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT,
            cl::CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT,
            cl::CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT,
        ]
        .map(|name| ask::<u32>(&setup, None, Some(&shape), name));
        assert_eq!(found, expected, "{image_type:#x}");
    }
}

#[test]
fn errors_of_asking_what_an_image_needs() {
    let setup = Setup::new();
    let (form, shape) = (format(TEXELS[2]), desc(cl::CL_MEM_OBJECT_IMAGE2D, [4, 4, 1]));
    let impossible =
        cl::cl_image_format { image_channel_order: cl::CL_INTENSITY, image_channel_data_type: cl::CL_UNORM_SHORT_555 };
    let depths = format((cl::CL_DEPTH, cl::CL_FLOAT, 4));
    let volume = desc(cl::CL_MEM_OBJECT_IMAGE3D, [4, 4, 2]);
    let empty = desc(cl::CL_MEM_OBJECT_IMAGE1D, [0, 1, 1]);
    let list: [cl::cl_mem_properties; 3] = [0x7777, 1, 0];
    let row = cl::CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT;
    let size = cl::CL_IMAGE_REQUIREMENTS_SIZE_EXT;
    let raw = |context, list, flags, name, size| {
        let mut value = 0usize;
        let place = (&raw mut value).cast();
        extension!(clGetImageRequirementsInfoEXT(context, list, flags, &form, &shape, name, size, place, null_mut()))
    };
    let code = |result: Result<usize, i32>| result.err().unwrap_or(cl::CL_SUCCESS);
    table! {
        "good" => CL_SUCCESS, raw(setup.context, null(), cl::CL_MEM_KERNEL_READ_AND_WRITE, row, 8);
        "no context" => CL_INVALID_CONTEXT, raw(null_mut(), null(), 0, row, 8);
        "property" => CL_INVALID_PROPERTY, raw(setup.context, list.as_ptr(), 0, row, 8);
        "unknown flag" => CL_INVALID_VALUE, raw(setup.context, null(), u64::MAX, row, 8);
        "unknown query" => CL_INVALID_VALUE, raw(setup.context, null(), 0, cl::CL_IMAGE_FORMAT, 8);
        "too little place" => CL_INVALID_VALUE, raw(setup.context, null(), 0, row, 7);
        "no format" => CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, code(ask(&setup, Some(&impossible), Some(&shape), row));
        "flat depths" => CL_SUCCESS, code(ask(&setup, Some(&depths), Some(&shape), size));
        "depths in a volume" => CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
            code(ask(&setup, Some(&depths), Some(&volume), size));
        "empty image" => CL_INVALID_IMAGE_DESCRIPTOR, code(ask(&setup, Some(&form), Some(&empty), row));
        "size without format" => CL_INVALID_VALUE, code(ask(&setup, None, Some(&shape), size));
        "size without description" => CL_INVALID_VALUE, code(ask(&setup, Some(&form), None, size));
    }
}
