//! Mapping and unmapping buffers.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::support::{Setup, at, call, create, mem_info, ok, release, release_all, table};

fn map(setup: &Setup, buffer: cl::cl_mem, flags: cl::cl_map_flags, offset: usize, size: usize) -> *mut c_void {
    create!(clEnqueueMapBuffer(setup.queue, buffer, cl::CL_TRUE, flags, offset, size, 0, null(), null_mut()))
}

fn unmap(setup: &Setup, buffer: cl::cl_mem, pointer: *mut c_void) -> cl::cl_int {
    call!(clEnqueueUnmapMemObject(setup.queue, buffer, pointer, 0, null(), null_mut()))
}

fn map_code(setup: &Setup, buffer: cl::cl_mem, flags: cl::cl_map_flags, offset: usize, size: usize) -> cl::cl_int {
    let mut code = 1;
    let blocking = cl::CL_TRUE;
    let pointer =
        call!(clEnqueueMapBuffer(setup.queue, buffer, blocking, flags, offset, size, 0, null(), null_mut(), &mut code));
    assert_eq!(pointer.is_null(), code != cl::CL_SUCCESS);
    if !pointer.is_null() {
        assert_eq!(unmap(setup, buffer, pointer), cl::CL_SUCCESS);
    }
    code
}

fn count(buffer: cl::cl_mem) -> u32 {
    mem_info(buffer, cl::CL_MEM_MAP_COUNT)
}

#[test]
fn errors_of_mapping() {
    let setup = Setup::new();
    let plain = setup.buffer(0, 64);
    let write_only = setup.buffer(cl::CL_MEM_HOST_WRITE_ONLY, 64);
    let read_only = setup.buffer(cl::CL_MEM_HOST_READ_ONLY, 64);
    let closed = setup.buffer(cl::CL_MEM_HOST_NO_ACCESS, 64);
    let invalidate = cl::CL_MAP_WRITE_INVALIDATE_REGION;
    table! {
        "no bytes" => CL_INVALID_VALUE, map_code(&setup, plain, cl::CL_MAP_READ, 0, 0);
        "out of bounds" => CL_INVALID_VALUE, map_code(&setup, plain, cl::CL_MAP_READ, 32, 33);
        "end that does not fit" => CL_INVALID_VALUE, map_code(&setup, plain, cl::CL_MAP_READ, 1, usize::MAX);
        "unknown flag" => CL_INVALID_VALUE, map_code(&setup, plain, 1 << 4, 0, 64);
        "read and invalidate" => CL_INVALID_VALUE, map_code(&setup, plain, cl::CL_MAP_READ | invalidate, 0, 64);
        "write and invalidate" => CL_INVALID_VALUE, map_code(&setup, plain, cl::CL_MAP_WRITE | invalidate, 0, 64);
        "read where the host only writes" => CL_INVALID_OPERATION,
            map_code(&setup, write_only, cl::CL_MAP_READ, 0, 64);
        "write where the host only reads" => CL_INVALID_OPERATION,
            map_code(&setup, read_only, cl::CL_MAP_WRITE, 0, 64);
        "invalidate where the host only reads" => CL_INVALID_OPERATION, map_code(&setup, read_only, invalidate, 0, 64);
        "read where the host has no access" => CL_INVALID_OPERATION, map_code(&setup, closed, cl::CL_MAP_READ, 0, 64);
        "write where the host has no access" => CL_INVALID_OPERATION,
            map_code(&setup, closed, cl::CL_MAP_WRITE, 0, 64);
        "read where the host only reads" => CL_SUCCESS, map_code(&setup, read_only, cl::CL_MAP_READ, 0, 64);
        "invalidate where the host only writes" => CL_SUCCESS, map_code(&setup, write_only, invalidate, 0, 64);
        "read and write" => CL_SUCCESS, map_code(&setup, plain, cl::CL_MAP_READ | cl::CL_MAP_WRITE, 0, 64);
    }
    setup.finish();
    for buffer in [plain, write_only, read_only, closed] {
        assert_eq!(count(buffer), 0);
        release(buffer);
    }
}

#[test]
fn errors_of_unmapping() {
    let setup = Setup::new();
    let (buffer, other) = (setup.buffer(0, 64), setup.buffer(0, 64));
    let pointer = map(&setup, buffer, cl::CL_MAP_READ, 8, 16);
    table! {
        "null" => CL_INVALID_VALUE, unmap(&setup, buffer, null_mut());
        "pointer of nothing" => CL_INVALID_VALUE, unmap(&setup, buffer, at(&setup));
        "inside of the mapped region" => CL_INVALID_VALUE, unmap(&setup, buffer, pointer.wrapping_byte_add(1));
        "mapped pointer of another buffer" => CL_INVALID_VALUE, unmap(&setup, other, pointer);
        "the mapped pointer" => CL_SUCCESS, unmap(&setup, buffer, pointer);
        "a second time" => CL_INVALID_VALUE, unmap(&setup, buffer, pointer);
    }
    setup.finish();
    release_all(&[buffer, other]);
}

#[test]
fn regions_mapped_for_writing_must_not_overlap() {
    let setup = Setup::new();
    let align = setup.device_number::<u32>(cl::CL_DEVICE_MEM_BASE_ADDR_ALIGN) as usize / 8;
    let buffer = setup.buffer(0, 4 * align);
    let part = setup.part(buffer, 0, align, 2 * align);
    let pointer = map(&setup, buffer, cl::CL_MAP_WRITE, align / 2, align);
    let invalidate = cl::CL_MAP_WRITE_INVALIDATE_REGION;
    table! {
        "same region" => CL_INVALID_OPERATION, map_code(&setup, buffer, cl::CL_MAP_WRITE, align / 2, align);
        "last byte of it" => CL_INVALID_OPERATION, map_code(&setup, buffer, invalidate, 3 * align / 2 - 1, align);
        "through a sub-buffer" => CL_INVALID_OPERATION, map_code(&setup, part, cl::CL_MAP_WRITE, 0, align);
        "behind it" => CL_SUCCESS, map_code(&setup, buffer, cl::CL_MAP_WRITE, 3 * align / 2, align);
        "behind it through a sub-buffer" => CL_SUCCESS, map_code(&setup, part, cl::CL_MAP_WRITE, align / 2, align);
    }
    assert_eq!(unmap(&setup, buffer, pointer), cl::CL_SUCCESS);
    setup.finish();
    assert_eq!(map_code(&setup, part, cl::CL_MAP_WRITE, 0, align), cl::CL_SUCCESS, "after it was unmapped");
    setup.finish();
    release_all(&[part, buffer]);
}

#[test]
fn the_map_count_follows_each_map_and_unmap() {
    let setup = Setup::new();
    let buffer = setup.buffer(0, 4096);
    let pointers: Vec<*mut c_void> =
        [0, 100, 100, 2000].map(|offset| map(&setup, buffer, cl::CL_MAP_READ, offset, 50)).to_vec();
    assert_eq!(count(buffer), 4);
    assert_eq!(pointers[1], pointers[2], "a region has one address");
    assert_eq!(pointers[1].addr() - pointers[0].addr(), 100);
    for (done, &pointer) in pointers.iter().enumerate() {
        assert_eq!(unmap(&setup, buffer, pointer), cl::CL_SUCCESS);
        setup.finish();
        assert_eq!(count(buffer), 3 - done as u32);
    }
    release(buffer);
}

#[test]
fn what_the_host_writes_to_a_mapping_is_in_the_buffer_and_the_other_way_round() {
    let setup = Setup::new();
    let size = 100_000;
    let buffer = setup.filled(&vec![1; size]);
    let pointer = map(&setup, buffer, cl::CL_MAP_READ | cl::CL_MAP_WRITE, 1000, 500).cast::<u8>();
    for index in 0..500 {
        // SAFETY: inside of the region that is mapped for reading and writing.
        unsafe {
            assert_eq!(pointer.add(index).read(), 1);
            pointer.add(index).write(index as u8);
        }
    }
    assert_eq!(unmap(&setup, buffer, pointer.cast()), cl::CL_SUCCESS);
    let read = setup.read(buffer);
    assert!(read[..1000].iter().chain(&read[1500..]).all(|&byte| byte == 1));
    assert!(read[1000..1500].iter().enumerate().all(|(index, &byte)| byte == index as u8));
    release(buffer);
}

#[test]
fn a_mapping_that_does_not_block_is_ready_when_its_event_is_complete() {
    let setup = Setup::new();
    let size = 1 << 20;
    let buffer = setup.filled(&vec![0; size]);
    let gate = create!(clCreateUserEvent(setup.context));
    let seven = [7u8];
    ok!(clEnqueueFillBuffer(setup.queue, buffer, at(&seven), 1, 0, size, 1, &gate, null_mut()));
    let mut ready = null_mut();
    let pointer =
        create!(clEnqueueMapBuffer(setup.queue, buffer, cl::CL_FALSE, cl::CL_MAP_READ, 0, size, 0, null(), &mut ready));
    let mut status = 0;
    let size_of_status = size_of_val(&status);
    let query = cl::CL_EVENT_COMMAND_EXECUTION_STATUS;
    ok!(clGetEventInfo(ready, query, size_of_status, (&raw mut status).cast(), null_mut()));
    assert_ne!(status, cl::CL_COMPLETE, "the command before it waits");
    ok!(clSetUserEventStatus(gate, cl::CL_COMPLETE));
    ok!(clWaitForEvents(1, &ready));
    // SAFETY: mapped for reading, and the map command is complete.
    let bytes = unsafe { std::slice::from_raw_parts(pointer.cast::<u8>(), size) };
    assert!(bytes.iter().all(|&byte| byte == 7));
    assert_eq!(unmap(&setup, buffer, pointer), cl::CL_SUCCESS);
    setup.finish();
    ok!(clReleaseEvent(ready));
    ok!(clReleaseEvent(gate));
    release(buffer);
}
