//! Buffers that are never modified: flags, commands and kernel arguments.

use std::ptr::{null, null_mut};

use khronos_headers as cl;
use oxicl_tests::offline::{Level, compile};

use crate::support::{Setup, at, call, code_of, create, mem_info, ok, release_all, table};

const IMMUTABLE: cl::cl_mem_flags = cl::CL_MEM_IMMUTABLE_EXT | cl::CL_MEM_COPY_HOST_PTR;

#[test]
fn what_an_immutable_buffer_forbids() {
    let setup = Setup::new();
    let (q, bytes) = (setup.queue, [3u8; 256]);
    let host = at(&bytes);
    let buffer = create!(clCreateBuffer(setup.context, IMMUTABLE, 256, host));
    let other = setup.filled(&[4; 256]);
    let make = |flags| match code_of!(clCreateBuffer(setup.context, flags, 256, host)) {
        cl::CL_SUCCESS => panic!("{flags:#x} was taken"),
        code => code,
    };
    let align = setup.device_number::<u32>(cl::CL_DEVICE_MEM_BASE_ADDR_ALIGN) as usize / 8;
    let region = cl::cl_buffer_region { origin: align, size: 64 };
    let part_code = |flags| {
        let mut code = 1;
        let kind = cl::CL_BUFFER_CREATE_TYPE_REGION;
        let part = call!(clCreateSubBuffer(buffer, flags, kind, (&raw const region).cast(), &mut code));
        assert!(part.is_null());
        code
    };
    let part = setup.part(buffer, cl::CL_MEM_READ_ONLY, align, 64);
    assert_eq!(mem_info::<u64>(buffer, cl::CL_MEM_FLAGS), IMMUTABLE);
    assert_eq!(mem_info::<u64>(part, cl::CL_MEM_FLAGS), IMMUTABLE | cl::CL_MEM_READ_ONLY);
    let (three, none) = ([0usize, 0, 0], (null(), null_mut()));
    let (origin, extent) = (three.as_ptr(), [16usize, 2, 1]);
    let write = |to| call!(clEnqueueWriteBuffer(q, to, 1, 0, 16, host, 0, none.0, none.1));
    let write_rect = |to| {
        let extent = extent.as_ptr();
        call!(clEnqueueWriteBufferRect(q, to, 1, origin, origin, extent, 0, 0, 0, 0, host, 0, none.0, none.1))
    };
    let copy = |to| call!(clEnqueueCopyBuffer(q, other, to, 0, 0, 16, 0, none.0, none.1));
    let copy_rect = |to| {
        let extent = extent.as_ptr();
        call!(clEnqueueCopyBufferRect(q, other, to, origin, origin, extent, 0, 0, 0, 0, 0, none.0, none.1))
    };
    let fill = |to| call!(clEnqueueFillBuffer(q, to, host, 4, 0, 16, 0, none.0, none.1));
    let map = |flags| {
        let mut code = 1;
        let pointer = call!(clEnqueueMapBuffer(q, buffer, 1, flags, 0, 16, 0, none.0, none.1, &mut code));
        if !pointer.is_null() {
            ok!(clEnqueueUnmapMemObject(q, buffer, pointer, 0, none.0, none.1));
        }
        code
    };
    table! {
        "no contents" => CL_INVALID_VALUE,
            code_of!(clCreateBuffer(setup.context, cl::CL_MEM_IMMUTABLE_EXT, 256, null_mut()));
        "no contents, but a pointer" => CL_INVALID_VALUE, make(cl::CL_MEM_IMMUTABLE_EXT);
        "read and write" => CL_INVALID_VALUE, make(IMMUTABLE | cl::CL_MEM_READ_WRITE);
        "write" => CL_INVALID_VALUE, make(IMMUTABLE | cl::CL_MEM_WRITE_ONLY);
        "written by the host" => CL_INVALID_VALUE, make(IMMUTABLE | cl::CL_MEM_HOST_WRITE_ONLY);
        "part, read and write" => CL_INVALID_VALUE, part_code(cl::CL_MEM_READ_WRITE);
        "part, write" => CL_INVALID_VALUE, part_code(cl::CL_MEM_WRITE_ONLY);
        "part, written by the host" => CL_INVALID_VALUE, part_code(cl::CL_MEM_HOST_WRITE_ONLY);
        "write to it" => CL_INVALID_OPERATION, write(buffer);
        "write to a part" => CL_INVALID_OPERATION, write(part);
        "write a rectangle" => CL_INVALID_OPERATION, write_rect(buffer);
        "copy to it" => CL_INVALID_OPERATION, copy(buffer);
        "copy a rectangle" => CL_INVALID_OPERATION, copy_rect(buffer);
        "fill it" => CL_INVALID_OPERATION, fill(buffer);
        "fill a part" => CL_INVALID_OPERATION, fill(part);
        "map for writing" => CL_INVALID_OPERATION, map(cl::CL_MAP_WRITE);
        "map for overwriting" => CL_INVALID_OPERATION, map(cl::CL_MAP_WRITE_INVALIDATE_REGION);
        "map for reading" => CL_SUCCESS, map(cl::CL_MAP_READ);
        "copy from it" => CL_SUCCESS, call!(clEnqueueCopyBuffer(q, buffer, other, 0, 0, 16, 0, none.0, none.1));
    }
    assert_eq!(setup.read(buffer), bytes);
    assert_eq!(setup.read(other)[..17], [3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4]);
    release_all(&[part, buffer, other]);
    assert!(call!(clSVMAlloc(setup.context, cl::CL_MEM_IMMUTABLE_EXT, 64, 0)).is_null());
}

#[test]
fn only_kernels_that_do_not_write_an_immutable_buffer_take_it() {
    const SOURCE: &str = "kernel void sum(constant int *a, global const int *b, global int *c) {
        size_t i = get_global_id(0); c[i] = a[i] + b[i]; }";
    let setup = Setup::new();
    let module = compile(SOURCE, Level::Optimised).expect("clang compiles it");
    let program = create!(clCreateProgramWithIL(setup.context, module.as_ptr().cast(), module.len()));
    ok!(clBuildProgram(program, 0, null(), null(), None, null_mut()));
    let kernel = create!(clCreateKernel(program, c"sum".as_ptr()));
    let data = [5i32; 16];
    let buffer = create!(clCreateBuffer(setup.context, IMMUTABLE, 64, at(&data)));
    let to = setup.buffer(0, 64);
    let set = |index, buffer: cl::cl_mem| call!(clSetKernelArg(kernel, index, 8, (&raw const buffer).cast()));
    assert_eq!(set(0, buffer), cl::CL_SUCCESS);
    assert_eq!(set(1, buffer), cl::CL_SUCCESS);
    assert_eq!(set(2, buffer), cl::CL_INVALID_ARG_VALUE);
    assert_eq!(set(2, to), cl::CL_SUCCESS);
    ok!(clEnqueueNDRangeKernel(setup.queue, kernel, 1, null(), &16, null(), 0, null(), null_mut()));
    assert_eq!(setup.read(to), 10i32.to_ne_bytes().repeat(16));
    release_all(&[buffer, to]);
    ok!(clReleaseKernel(kernel));
    ok!(clReleaseProgram(program));
}
