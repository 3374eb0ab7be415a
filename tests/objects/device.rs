//! Devices and sub-devices.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::platform::platform;
use crate::support::{Setup, call, create, ok, table};

/// The bytes of an answer.
fn info(device: cl::cl_device_id, name: cl::cl_device_info) -> Vec<u8> {
    let mut size = 0;
    ok!(clGetDeviceInfo(device, name, 0, null_mut(), &mut size));
    let mut bytes = vec![0u8; size];
    ok!(clGetDeviceInfo(device, name, size, bytes.as_mut_ptr().cast(), null_mut()));
    bytes
}

/// Makes sub-devices; nothing if the device has but one compute unit.
fn partition(device: cl::cl_device_id, list: &[isize]) -> Vec<cl::cl_device_id> {
    let mut count = 0;
    ok!(clCreateSubDevices(device, list.as_ptr(), 0, null_mut(), &mut count));
    let mut parts = vec![null_mut(); count as usize];
    ok!(clCreateSubDevices(device, list.as_ptr(), count, parts.as_mut_ptr(), null_mut()));
    parts
}

#[test]
fn errors_of_listing_devices() {
    let setup = Setup::new();
    let mut count = 0;
    let mut device = null_mut();
    let ids = |platform, kind, places, list: *mut _, count: *mut _| {
        call!(clGetDeviceIDs(platform, kind, places, list, count))
    };
    table! {
        "context as platform" => CL_INVALID_PLATFORM,
            ids(setup.context.cast(), cl::CL_DEVICE_TYPE_ALL, 0, null_mut(), &mut count);
        "no type" => CL_INVALID_DEVICE_TYPE, ids(platform(), 0, 0, null_mut(), &mut count);
        "unknown type" => CL_INVALID_DEVICE_TYPE, ids(platform(), 1 << 20, 0, null_mut(), &mut count);
        "absent type" => CL_DEVICE_NOT_FOUND, ids(platform(), cl::CL_DEVICE_TYPE_GPU, 0, null_mut(), &mut count);
        "list without places" => CL_INVALID_VALUE,
            ids(platform(), cl::CL_DEVICE_TYPE_ALL, 0, &mut device, &mut count);
        "neither list nor count" => CL_INVALID_VALUE,
            ids(platform(), cl::CL_DEVICE_TYPE_ALL, 0, null_mut(), null_mut());
    }
}

#[test]
fn errors_of_device_queries_and_timers() {
    let setup = Setup::new();
    let mut time = 0;
    table! {
        "queue as device" => CL_INVALID_DEVICE,
            call!(clGetDeviceInfo(setup.queue.cast(), cl::CL_DEVICE_NAME, 0, null_mut(), null_mut()));
        "no such query" => CL_INVALID_VALUE, call!(clGetDeviceInfo(setup.device, 1, 0, null_mut(), null_mut()));
        "memory too small" => CL_INVALID_VALUE,
            call!(clGetDeviceInfo(setup.device, cl::CL_DEVICE_UUID, 8, (&raw mut time).cast(), null_mut()));
        "retaining a queue as device" => CL_INVALID_DEVICE, call!(clRetainDevice(setup.queue.cast()));
        "releasing a queue as device" => CL_INVALID_DEVICE, call!(clReleaseDevice(setup.queue.cast()));
        "timer of a queue" => CL_INVALID_DEVICE, call!(clGetHostTimer(setup.queue.cast(), &mut time));
        "timer without memory" => CL_INVALID_VALUE, call!(clGetHostTimer(setup.device, null_mut()));
        "timers without one's memory" => CL_INVALID_VALUE,
            call!(clGetDeviceAndHostTimer(setup.device, &mut time, null_mut()));
        "timers without the other's memory" => CL_INVALID_VALUE,
            call!(clGetDeviceAndHostTimer(setup.device, null_mut(), &mut time));
    }
}

#[test]
fn timers_go_forward_together() {
    let setup = Setup::new();
    let (mut device, mut host, mut later) = (0, 0, 0);
    ok!(clGetDeviceAndHostTimer(setup.device, &mut device, &mut host));
    ok!(clGetHostTimer(setup.device, &mut later));
    assert!(device > 0 && host > 0 && later >= host);
}

#[test]
fn errors_of_partitioning() {
    let setup = Setup::new();
    let units: u32 = setup.device_number(cl::CL_DEVICE_MAX_COMPUTE_UNITS);
    let mut count = 0;
    let mut with = |list: &[isize]| call!(clCreateSubDevices(setup.device, list.as_ptr(), 0, null_mut(), &mut count));
    const EQUALLY: isize = cl::CL_DEVICE_PARTITION_EQUALLY;
    const BY_COUNTS: isize = cl::CL_DEVICE_PARTITION_BY_COUNTS;
    const BY_AFFINITY: isize = cl::CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN;
    table! {
        "empty list" => CL_INVALID_VALUE, with(&[0]);
        "unknown scheme" => CL_INVALID_VALUE, with(&[0x1234, 1, 0]);
        "unknown affinity domain" => CL_INVALID_VALUE, with(&[BY_AFFINITY, 1 << 6, 0]);
        "no affinity domain" => CL_INVALID_VALUE, with(&[BY_AFFINITY, 0, 0]);
        "two affinity domains" => CL_INVALID_VALUE, with(&[BY_AFFINITY, 1 << 3 | 1 << 4, 0]);
        "parts of nothing" => CL_INVALID_VALUE, with(&[EQUALLY, 0, 0]);
        "two schemes" => CL_INVALID_VALUE, with(&[EQUALLY, 1, BY_COUNTS, 1, 0, 0]);
        "one part, which is no partition" => CL_DEVICE_PARTITION_FAILED, with(&[EQUALLY, units as isize, 0]);
        "parts beyond the whole" => CL_INVALID_DEVICE_PARTITION_COUNT, with(&[EQUALLY, units as isize + 1, 0]);
        "a negative count" => CL_INVALID_DEVICE_PARTITION_COUNT, with(&[BY_COUNTS, -1, 0, 0]);
        "a count beyond the whole" => CL_INVALID_DEVICE_PARTITION_COUNT, with(&[BY_COUNTS, units as isize + 1, 0, 0]);
        "counts beyond the whole" => CL_INVALID_DEVICE_PARTITION_COUNT,
            with(&[BY_COUNTS, units as isize, 1, 0, 0]);
        "no list" => CL_INVALID_VALUE,
            call!(clCreateSubDevices(setup.device, null(), 0, null_mut(), null_mut()));
        "context as device" => CL_INVALID_DEVICE,
            call!(clCreateSubDevices(setup.context.cast(), [EQUALLY, 1, 0].as_ptr(), 0, null_mut(), null_mut()));
    }
}

#[test]
fn a_device_is_divided_by_what_its_compute_units_share() {
    let setup = Setup::new();
    let domains = u64::from_ne_bytes(info(setup.device, cl::CL_DEVICE_PARTITION_AFFINITY_DOMAIN).try_into().unwrap());
    let ways = info(setup.device, cl::CL_DEVICE_PARTITION_PROPERTIES);
    let way = cl::CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN.to_ne_bytes();
    assert_eq!(ways.chunks(8).any(|word| word == way), domains != 0);
    let next = cl::CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE;
    for domain in (0..6).map(|bit| 1 << bit).filter(|domain| domains & domain != 0) {
        let list = [cl::CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, domain as isize, 0];
        let parts = partition(setup.device, &list);
        assert!(parts.len() > 1, "{domain:#x}");
        let units = |device| u32::from_ne_bytes(info(device, cl::CL_DEVICE_MAX_COMPUTE_UNITS).try_into().unwrap());
        assert_eq!(parts.iter().map(|&part| units(part)).sum::<u32>(), units(setup.device), "{domain:#x}");
        let found = if domain == next { 1 << domains.trailing_zeros() } else { domain };
        let words = [cl::CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN as u64, found, 0];
        let words: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        for part in parts {
            assert_eq!(info(part, cl::CL_DEVICE_PARTITION_TYPE), words);
            works(part);
            ok!(clReleaseDevice(part));
        }
    }
    // All of one NUMA node, or of several: it is never divided by what is not listed.
    for domain in (0..6).map(|bit| 1_isize << bit).filter(|domain| domains & *domain as u64 == 0) {
        let list = [cl::CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, domain, 0];
        let code = call!(clCreateSubDevices(setup.device, list.as_ptr(), 0, null_mut(), &mut 0));
        assert!([cl::CL_DEVICE_PARTITION_FAILED, cl::CL_INVALID_VALUE].contains(&code), "{domain:#x}: {code}");
    }
}

/// Fills a buffer on a device and reads it.
fn works(device: cl::cl_device_id) {
    const BYTES: usize = 1 << 20;
    let context = create!(clCreateContext(null(), 1, &device, None, null_mut()));
    let queue = create!(clCreateCommandQueueWithProperties(context, device, null()));
    let buffer = create!(clCreateBuffer(context, 0, BYTES, null_mut()));
    let (seven, mut bytes) = (7_u8, vec![0_u8; BYTES]);
    let pattern = (&raw const seven).cast();
    ok!(clEnqueueFillBuffer(queue, buffer, pattern, 1, 0, BYTES, 0, null(), null_mut()));
    ok!(clFlush(queue));
    let place = bytes.as_mut_ptr().cast();
    ok!(clEnqueueReadBuffer(queue, buffer, cl::CL_TRUE, 0, BYTES, place, 0, null(), null_mut()));
    assert!(bytes.iter().all(|byte| *byte == 7));
    ok!(clReleaseMemObject(buffer));
    ok!(clReleaseCommandQueue(queue));
    ok!(clReleaseContext(context));
}

#[test]
fn a_sub_device_knows_its_parent_and_its_list() {
    let setup = Setup::new();
    let units: u32 = setup.device_number(cl::CL_DEVICE_MAX_COMPUTE_UNITS);
    if units < 2 {
        return;
    }
    let list = [cl::CL_DEVICE_PARTITION_BY_COUNTS, 1, units as isize - 1, 0, 0];
    let parts = partition(setup.device, &list);
    assert_eq!(parts.len(), 2);
    let part = parts[0];
    assert_eq!(info(part, cl::CL_DEVICE_PARENT_DEVICE), setup.device.addr().to_ne_bytes());
    assert_eq!(info(part, cl::CL_DEVICE_MAX_COMPUTE_UNITS), 1u32.to_ne_bytes());
    assert_eq!(info(part, cl::CL_DEVICE_REFERENCE_COUNT), 1u32.to_ne_bytes());
    let words: Vec<u8> = list.iter().flat_map(|word| word.to_ne_bytes()).collect();
    assert_eq!(info(part, cl::CL_DEVICE_PARTITION_TYPE), words);
    // A part is a device like any other, and stays one while a context has it.
    let context = create!(clCreateContext(null(), 2, parts.as_ptr(), None, null_mut()));
    for &part in &parts {
        ok!(clReleaseDevice(part));
    }
    let queue = create!(clCreateCommandQueueWithProperties(context, part, null()));
    ok!(clFinish(queue));
    ok!(clReleaseCommandQueue(queue));
    ok!(clReleaseContext(context));
    table! {
        "a part that nothing keeps" => CL_INVALID_DEVICE, call!(clRetainDevice(part));
    }
}

#[test]
fn counts_may_ask_for_one_part_with_all_compute_units() {
    let setup = Setup::new();
    let units: u32 = setup.device_number(cl::CL_DEVICE_MAX_COMPUTE_UNITS);
    if units < 2 {
        return;
    }
    let parts = partition(setup.device, &[cl::CL_DEVICE_PARTITION_BY_COUNTS, units as isize, 0, 0]);
    assert_eq!(parts.len(), 1);
    assert_eq!(info(parts[0], cl::CL_DEVICE_MAX_COMPUTE_UNITS), units.to_ne_bytes());
    works(parts[0]);
    ok!(clReleaseDevice(parts[0]));
}

#[test]
fn a_list_of_counts_is_over_where_the_counts_are() {
    let setup = Setup::new();
    let units: u32 = setup.device_number(cl::CL_DEVICE_MAX_COMPUTE_UNITS);
    if units < 2 {
        return;
    }
    // What lies behind the list is not of the list.
    let memory = [cl::CL_DEVICE_PARTITION_BY_COUNTS, 1, units as isize - 1, 0, 0x55];
    let parts = partition(setup.device, &memory);
    let words: Vec<u8> = [&memory[..4], &[0]].concat().iter().flat_map(|word| word.to_ne_bytes()).collect();
    assert_eq!(info(parts[0], cl::CL_DEVICE_PARTITION_TYPE), words);
    for part in parts {
        works(part);
        ok!(clReleaseDevice(part));
    }
}

#[test]
fn every_query_of_the_version_answers_within_its_size() {
    let setup = Setup::new();
    for (area, constant) in cl::describe::AREAS.iter().flat_map(|area| area.constants.iter().map(move |c| (area, c))) {
        let is_query = (constant.name.starts_with("CL_DEVICE_") || constant.name.starts_with("CL_DRIVER_"))
            && (0x1000..=0x1072).contains(&constant.value)
            && constant.size == 4
            && area.module.ends_with("::device");
        if is_query {
            let name = constant.value as cl::cl_device_info;
            let bytes = info(setup.device, name);
            let mut exact = vec![0u8; bytes.len()];
            let place: *mut c_void = exact.as_mut_ptr().cast();
            if !bytes.is_empty() {
                let small = call!(clGetDeviceInfo(setup.device, name, bytes.len() - 1, place, null_mut()));
                assert_eq!(small, cl::CL_INVALID_VALUE, "{}", constant.name);
            }
        }
    }
}
