//! What the device advertises, shown to be there: every extension that it lists has a test here, and every test here
//! is of an extension that it lists. A feature is advertised only so.
#![allow(unsafe_code, reason = "calls of the C API")]

mod api;
mod atomics;
mod command_buffers;
#[path = "../images/extensions.rs"]
mod extensions;
mod float_atomics;
mod groups;
mod kernels;
#[path = "../memory/loader.rs"]
mod loader;
mod memory;
mod named_barriers;
#[path = "../command_buffer/recording.rs"]
mod recording;
mod sources;
mod spirv;
#[allow(dead_code, unused_imports, unused_macros, reason = "shared with the tests of memory objects")]
#[path = "../memory/support.rs"]
mod support;

use std::ptr::null_mut;

use khronos_headers as cl;

use support::ok;

/// Extensions, each with the test that shows it; the tests are functions, so that a name cannot go stale.
const SHOWN: &[(&str, fn())] = &[
    ("cl_ext_buffer_device_address", memory::a_buffer_is_used_by_its_address),
    ("cl_ext_cxx_for_opencl", sources::cpp_for_opencl_is_compiled),
    ("cl_ext_float_atomics", float_atomics::floats_are_added_and_compared_atomically),
    ("cl_ext_immutable_memory_objects", memory::an_immutable_buffer_stays_as_it_is),
    ("cl_ext_relaxed_printf_string_address_space", spirv::formats_are_read_from_any_memory),
    ("cl_intel_required_subgroup_size", groups::a_sub_group_size_is_required),
    ("cl_intel_device_attribute_query", api::the_make_of_the_processor_is_told),
    ("cl_intel_bfloat16_conversions", spirv::bfloat16_is_converted),
    ("cl_intel_split_work_group_barrier", groups::a_barrier_comes_in_two_parts),
    ("cl_intel_unified_shared_memory", memory::unified_shared_memory_is_reached_by_host_and_device),
    ("cl_khr_byte_addressable_store", kernels::bytes_are_stored_one_by_one),
    ("cl_khr_command_buffer", command_buffers::recorded_commands_run_each_time),
    ("cl_khr_command_buffer_mutable_dispatch", command_buffers::a_recorded_launch_is_changed),
    ("cl_khr_create_command_queue", api::a_queue_is_created_by_the_extension),
    ("cl_khr_device_uuid", api::identifiers_are_there_and_stay),
    ("cl_khr_expect_assume", spirv::hints_change_nothing),
    ("cl_khr_extended_bit_ops", spirv::bits_are_reversed_inserted_and_extracted),
    ("cl_khr_extended_versioning", api::versions_are_numbers),
    ("cl_khr_fp16", kernels::half_precision_computes),
    ("cl_khr_fp64", kernels::double_precision_computes),
    ("cl_khr_global_int32_base_atomics", atomics::global_atomics_count),
    ("cl_khr_global_int32_extended_atomics", atomics::global_atomics_find_extremes),
    ("cl_khr_icd", api::the_loader_found_the_platform),
    ("cl_khr_il_program", api::a_program_is_created_by_the_extension),
    ("cl_khr_initialize_memory", memory::local_and_private_memory_begins_as_zeros),
    ("cl_khr_int64_base_atomics", atomics::long_atomics_count),
    ("cl_khr_int64_extended_atomics", atomics::long_atomics_find_extremes),
    ("cl_khr_integer_dot_product", spirv::dot_products_of_bytes_are_computed),
    ("cl_khr_kernel_clock", groups::kernels_read_clocks),
    ("cl_khr_local_int32_base_atomics", atomics::local_atomics_count),
    ("cl_khr_local_int32_extended_atomics", atomics::local_atomics_find_extremes),
    ("cl_khr_priority_hints", api::queues_take_priorities),
    ("cl_khr_semaphore", command_buffers::a_semaphore_orders_two_queues),
    ("cl_khr_spirv_extended_debug_info", spirv::debug_information_is_accepted),
    ("cl_khr_spirv_linkonce_odr", spirv::functions_of_shared_definitions_are_accepted),
    ("cl_khr_spirv_no_integer_wrap_decoration", spirv::decorations_of_no_wrap_change_nothing),
    ("cl_khr_spirv_queries", api::spirv_queries_tell_what_is_accepted),
    ("cl_khr_subgroup_ballot", groups::a_ballot_has_a_bit_for_each_work_item),
    ("cl_khr_subgroup_clustered_reduce", groups::clusters_reduce),
    ("cl_khr_subgroup_extended_types", groups::small_numbers_and_vectors_are_exchanged),
    ("cl_khr_subgroup_named_barrier", named_barriers::sub_groups_wait_at_named_barriers),
    ("cl_khr_subgroup_non_uniform_arithmetic", groups::some_work_items_reduce_and_scan),
    ("cl_khr_subgroup_non_uniform_vote", groups::some_work_items_vote),
    ("cl_khr_subgroup_rotate", groups::values_rotate),
    ("cl_khr_subgroup_shuffle", groups::values_are_shuffled),
    ("cl_khr_subgroup_shuffle_relative", groups::values_are_shuffled_up_and_down),
    ("cl_khr_subgroups", sources::sub_groups_make_progress_of_their_own),
    ("cl_khr_suggested_local_work_size", api::a_local_size_is_suggested),
    ("cl_khr_throttle_hints", api::queues_take_throttles),
    ("cl_khr_unified_svm", memory::shared_memory_is_allocated_by_type),
    ("cl_khr_work_group_uniform_arithmetic", groups::work_groups_multiply_and_scan_bits),
];

#[test]
fn every_advertised_extension_is_shown_by_a_test() {
    let mut platform = null_mut();
    ok!(clGetPlatformIDs(1, &mut platform, null_mut()));
    let mut size = 0;
    ok!(clGetPlatformInfo(platform, cl::CL_PLATFORM_EXTENSIONS, 0, null_mut(), &mut size));
    let mut text = vec![0u8; size];
    ok!(clGetPlatformInfo(platform, cl::CL_PLATFORM_EXTENSIONS, size, text.as_mut_ptr().cast(), null_mut()));
    let text = String::from_utf8_lossy(&text);
    // Those that come with images are shown in `tests/images`.
    let listed = text.trim_end_matches('\0').split_whitespace();
    let mut listed: Vec<&str> = listed.filter(|name| !extensions::come_with_images(name)).collect();
    listed.sort_unstable();
    let mut shown: Vec<&str> = SHOWN.iter().map(|row| row.0).collect();
    shown.sort_unstable();
    assert_eq!(listed, shown);
}

#[test]
fn the_reference_device_agrees() {
    oxicl_tests::again_on_the_reference_device(&[]);
}
