//! Images and samplers through a real loader: error codes per entry point, and what the commands do to texels, held
//! against models on the host.
#![allow(unsafe_code, reason = "calls of the C API")]

mod blocks;
mod commands;
mod creation;
mod errors;
mod extensions;
mod filling;
mod formats;
mod gangs;
mod kernels;
mod levels;
#[path = "../memory/loader.rs"]
mod loader;
mod mapping;
mod picture;
mod recorded;
mod requirements;
mod samplers;
#[allow(dead_code, unused_imports, unused_macros, reason = "shared with the tests of memory objects")]
#[path = "../memory/support.rs"]
mod support;

use khronos_headers as cl;

/// The extensions that come with images, each with the test that shows it.
const SHOWN: &[(&str, fn())] = &[
    ("cl_ext_image_from_buffer", creation::images_of_every_type_can_be_buffers),
    ("cl_ext_image_requirements_info", requirements::an_image_fits_in_a_buffer_of_the_size_that_it_is_said_to_need),
    ("cl_ext_image_unorm_int_2_101010", kernels::texels_of_two_and_three_times_ten_bits_are_read_and_written),
    ("cl_intel_spirv_subgroups", blocks::sub_groups_read_and_write_blocks_of_images),
    ("cl_intel_subgroups", blocks::sub_groups_read_and_write_blocks_of_images),
    ("cl_intel_subgroups_char", blocks::blocks_have_numbers_of_8_bits),
    ("cl_intel_subgroups_long", blocks::blocks_have_numbers_of_64_bits),
    ("cl_intel_subgroups_short", blocks::blocks_have_numbers_of_16_bits),
    ("cl_khr_3d_image_writes", kernels::volumes_are_written),
    ("cl_khr_depth_images", kernels::depths_are_read_and_written),
    ("cl_khr_image2d_from_buffer", creation::a_flat_image_can_be_a_buffer_at_any_pitch_of_whole_texels),
    ("cl_khr_mipmap_image", levels::commands_reach_the_level_that_they_name_and_no_other),
    ("cl_khr_mipmap_image_writes", levels::kernels_write_to_the_level_that_they_name_and_no_other),
    ("cl_khr_srgb_image_writes", kernels::colours_are_written_along_the_curve_of_srgb),
];

#[test]
fn every_extension_that_comes_with_images_is_shown_by_a_test() {
    let setup = support::Setup::new();
    let mut text = vec![0u8; 1 << 16];
    let (size, place) = (text.len(), text.as_mut_ptr().cast());
    support::ok!(clGetDeviceInfo(setup.device, cl::CL_DEVICE_EXTENSIONS, size, place, std::ptr::null_mut()));
    let text = String::from_utf8_lossy(&text);
    let listed = text.trim_end_matches('\0').split_whitespace();
    let mut listed: Vec<&str> = listed.filter(|name| extensions::come_with_images(name)).collect();
    listed.sort_unstable();
    assert_eq!(listed, SHOWN.iter().map(|row| row.0).collect::<Vec<_>>());
}

#[test]
fn other_processors_agree() {
    oxicl_tests::again_on_other_processors();
}

#[test]
fn the_reference_device_agrees() {
    oxicl_tests::again_on_the_reference_device(&[]);
}
