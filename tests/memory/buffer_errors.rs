//! Error codes of the entry points for buffers.

use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::support::{Setup, at, call, code_of, create, mem_info, ok, release, release_all, table};

#[test]
fn errors_of_creating_a_buffer() {
    let setup = Setup::new();
    let context = setup.context;
    let bytes = [0u8; 64];
    let host = at(&bytes);
    let largest: u64 = setup.device_number(cl::CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    let buffer = |flags, size, pointer| code_of!(clCreateBuffer(context, flags, size, pointer));
    table! {
        "null context" => CL_INVALID_CONTEXT, code_of!(clCreateBuffer(null_mut(), 0, 64, null_mut()));
        "context is a queue" => CL_INVALID_CONTEXT, code_of!(clCreateBuffer(setup.queue.cast(), 0, 64, null_mut()));
        "size 0" => CL_INVALID_BUFFER_SIZE, buffer(0, 0, null_mut());
        "size beyond the largest" => CL_INVALID_BUFFER_SIZE, buffer(0, largest as usize + 1, null_mut());
        "size that no address space has" => CL_INVALID_BUFFER_SIZE, buffer(0, usize::MAX, null_mut());
        "read-write and read-only" => CL_INVALID_VALUE, buffer(cl::CL_MEM_READ_WRITE | cl::CL_MEM_READ_ONLY, 64, null_mut());
        "read-write and write-only" => CL_INVALID_VALUE, buffer(cl::CL_MEM_READ_WRITE | cl::CL_MEM_WRITE_ONLY, 64, null_mut());
        "read-only and write-only" => CL_INVALID_VALUE, buffer(cl::CL_MEM_READ_ONLY | cl::CL_MEM_WRITE_ONLY, 64, null_mut());
        "use and alloc" => CL_INVALID_VALUE, buffer(cl::CL_MEM_USE_HOST_PTR | cl::CL_MEM_ALLOC_HOST_PTR, 64, host);
        "use and copy" => CL_INVALID_VALUE, buffer(cl::CL_MEM_USE_HOST_PTR | cl::CL_MEM_COPY_HOST_PTR, 64, host);
        "host reads only, host writes only" => CL_INVALID_VALUE,
            buffer(cl::CL_MEM_HOST_READ_ONLY | cl::CL_MEM_HOST_WRITE_ONLY, 64, null_mut());
        "host reads only, no access" => CL_INVALID_VALUE,
            buffer(cl::CL_MEM_HOST_READ_ONLY | cl::CL_MEM_HOST_NO_ACCESS, 64, null_mut());
        "unknown flag" => CL_INVALID_VALUE, buffer(1 << 50, 64, null_mut());
        "use without pointer" => CL_INVALID_HOST_PTR, buffer(cl::CL_MEM_USE_HOST_PTR, 64, null_mut());
        "copy without pointer" => CL_INVALID_HOST_PTR, buffer(cl::CL_MEM_COPY_HOST_PTR, 64, null_mut());
        "pointer without flag" => CL_INVALID_HOST_PTR, buffer(cl::CL_MEM_READ_WRITE, 64, host);
        "pointer with alloc alone" => CL_INVALID_HOST_PTR, buffer(cl::CL_MEM_ALLOC_HOST_PTR, 64, host);
    }
}

#[test]
fn errors_of_properties_of_a_buffer() {
    let setup = Setup::new();
    let with = |list: &[cl::cl_mem_properties]| {
        let mut code = 1;
        let list = list.as_ptr();
        let buffer = call!(clCreateBufferWithProperties(setup.context, list, 0, 64, null_mut(), &mut code));
        if !buffer.is_null() {
            release(buffer);
        }
        code
    };
    table! {
        "empty list" => CL_SUCCESS, with(&[0]);
        "unknown property" => CL_INVALID_PROPERTY, with(&[0x7777, 1, 0]);
        "null context" => CL_INVALID_CONTEXT,
            code_of!(clCreateBufferWithProperties(null_mut(), null(), 0, 64, null_mut()));
    }
}

#[test]
fn errors_of_creating_a_sub_buffer() {
    let setup = Setup::new();
    let align = setup.device_number::<u32>(cl::CL_DEVICE_MEM_BASE_ADDR_ALIGN) as usize / 8;
    let buffer = setup.buffer(cl::CL_MEM_READ_WRITE, 4 * align);
    let inner = setup.part(buffer, 0, align, 2 * align);
    let sub = |buffer, flags, origin, size| {
        let region = cl::cl_buffer_region { origin, size };
        let mut code = 1;
        let part = call!(clCreateSubBuffer(buffer, flags, cl::CL_BUFFER_CREATE_TYPE_REGION, at(&region), &mut code));
        if !part.is_null() {
            release(part);
        }
        code
    };
    let region = cl::cl_buffer_region { origin: 0, size: align };
    let of_flags = |parent, flags| {
        let parent = setup.buffer(parent, 4 * align);
        let code = sub(parent, flags, 0, align);
        release(parent);
        code
    };
    table! {
        "null buffer" => CL_INVALID_MEM_OBJECT, sub(null_mut(), 0, 0, align);
        "of a sub-buffer" => CL_INVALID_MEM_OBJECT, sub(inner, 0, 0, align);
        "unknown type" => CL_INVALID_VALUE, code_of!(clCreateSubBuffer(buffer, 0, 0x1221, at(&region)));
        "no region" => CL_INVALID_VALUE,
            code_of!(clCreateSubBuffer(buffer, 0, cl::CL_BUFFER_CREATE_TYPE_REGION, null()));
        "size 0" => CL_INVALID_BUFFER_SIZE, sub(buffer, 0, 0, 0);
        "too long" => CL_INVALID_VALUE, sub(buffer, 0, align, 4 * align);
        "beyond the end" => CL_INVALID_VALUE, sub(buffer, 0, 8 * align, 1);
        "end that does not fit" => CL_INVALID_VALUE, sub(buffer, 0, align, usize::MAX);
        "not aligned" => CL_MISALIGNED_SUB_BUFFER_OFFSET, sub(buffer, 0, 1, align);
        "use host pointer" => CL_INVALID_VALUE, sub(buffer, cl::CL_MEM_USE_HOST_PTR, 0, align);
        "alloc host pointer" => CL_INVALID_VALUE, sub(buffer, cl::CL_MEM_ALLOC_HOST_PTR, 0, align);
        "copy host pointer" => CL_INVALID_VALUE, sub(buffer, cl::CL_MEM_COPY_HOST_PTR, 0, align);
        "exclusive flags" => CL_INVALID_VALUE, sub(buffer, cl::CL_MEM_READ_ONLY | cl::CL_MEM_WRITE_ONLY, 0, align);
        "read-only of write-only" => CL_INVALID_VALUE, of_flags(cl::CL_MEM_WRITE_ONLY, cl::CL_MEM_READ_ONLY);
        "read-write of write-only" => CL_INVALID_VALUE, of_flags(cl::CL_MEM_WRITE_ONLY, cl::CL_MEM_READ_WRITE);
        "read-write of read-only" => CL_INVALID_VALUE, of_flags(cl::CL_MEM_READ_ONLY, cl::CL_MEM_READ_WRITE);
        "host reads where it only writes" => CL_INVALID_VALUE,
            of_flags(cl::CL_MEM_HOST_WRITE_ONLY, cl::CL_MEM_HOST_READ_ONLY);
        "host writes where it only reads" => CL_INVALID_VALUE,
            of_flags(cl::CL_MEM_HOST_READ_ONLY, cl::CL_MEM_HOST_WRITE_ONLY);
        "host reads where it has no access" => CL_INVALID_VALUE,
            of_flags(cl::CL_MEM_HOST_NO_ACCESS, cl::CL_MEM_HOST_READ_ONLY);
        "fitting" => CL_SUCCESS, sub(buffer, cl::CL_MEM_READ_ONLY, align, 3 * align);
    }
    release(inner);
    release(buffer);
}

/// What every enqueue function has in common, in one table: bad queue, bad buffer, other context, bad wait list.
#[test]
fn errors_that_all_buffer_commands_share() {
    let setup = Setup::new();
    let other = Setup::new();
    let buffer = setup.buffer(cl::CL_MEM_READ_WRITE, 64);
    let target = setup.buffer(cl::CL_MEM_READ_WRITE, 64);
    let foreign = other.buffer(cl::CL_MEM_READ_WRITE, 64);
    let foreign_event = create!(clCreateUserEvent(other.context));
    let bytes = [0u8; 64];
    let host = at(&bytes);
    let zero = [0usize; 3];
    let one = [1usize; 3];
    let (z, o) = (zero.as_ptr(), one.as_ptr());
    type Events = (u32, *const cl::cl_event);
    type Command<'a> = Box<dyn Fn(cl::cl_command_queue, cl::cl_mem, Events) -> cl::cl_int + 'a>;
    let commands: Vec<(&str, Command)> = vec![
        ("read", Box::new(|q, b, (n, w)| call!(clEnqueueReadBuffer(q, b, 1, 0, 64, host, n, w, null_mut())))),
        ("write", Box::new(|q, b, (n, w)| call!(clEnqueueWriteBuffer(q, b, 1, 0, 64, host, n, w, null_mut())))),
        ("copy from", Box::new(|q, b, (n, w)| call!(clEnqueueCopyBuffer(q, b, target, 0, 0, 64, n, w, null_mut())))),
        ("copy to", Box::new(|q, b, (n, w)| call!(clEnqueueCopyBuffer(q, target, b, 0, 0, 64, n, w, null_mut())))),
        ("fill", Box::new(|q, b, (n, w)| call!(clEnqueueFillBuffer(q, b, host, 1, 0, 64, n, w, null_mut())))),
        (
            "read rect",
            Box::new(|q, b, (n, w)| {
                call!(clEnqueueReadBufferRect(q, b, 1, z, z, o, 0, 0, 0, 0, host, n, w, null_mut()))
            }),
        ),
        (
            "write rect",
            Box::new(|q, b, (n, w)| {
                call!(clEnqueueWriteBufferRect(q, b, 1, z, z, o, 0, 0, 0, 0, host, n, w, null_mut()))
            }),
        ),
        (
            "copy rect from",
            Box::new(|q, b, (n, w)| {
                call!(clEnqueueCopyBufferRect(q, b, target, z, z, o, 0, 0, 0, 0, n, w, null_mut()))
            }),
        ),
        (
            "copy rect to",
            Box::new(|q, b, (n, w)| {
                call!(clEnqueueCopyBufferRect(q, target, b, z, z, o, 0, 0, 0, 0, n, w, null_mut()))
            }),
        ),
        (
            "map",
            Box::new(|q, b, (n, w)| {
                let mut code = 1;
                let pointer = call!(clEnqueueMapBuffer(q, b, 1, cl::CL_MAP_READ, 0, 64, n, w, null_mut(), &mut code));
                assert_eq!(pointer.is_null(), code != cl::CL_SUCCESS);
                code
            }),
        ),
        ("unmap", Box::new(|q, b, (n, w)| call!(clEnqueueUnmapMemObject(q, b, host, n, w, null_mut())))),
        ("migrate", Box::new(|q, b, (n, w)| call!(clEnqueueMigrateMemObjects(q, 1, &b, 0, n, w, null_mut())))),
    ];
    let none: Events = (0, null());
    let null_event: cl::cl_event = null_mut();
    let mut wrong = Vec::new();
    for (name, command) in &commands {
        let mut expect = |case: &str, expected: cl::cl_int, actual: cl::cl_int| {
            if actual != expected {
                wrong.push(format!("{name}, {case}: {expected} expected, got {actual}"));
            }
        };
        expect("null queue", cl::CL_INVALID_COMMAND_QUEUE, command(null_mut(), buffer, none));
        expect("queue is a context", cl::CL_INVALID_COMMAND_QUEUE, command(setup.context.cast(), buffer, none));
        expect("null buffer", cl::CL_INVALID_MEM_OBJECT, command(setup.queue, null_mut(), none));
        expect("buffer is a queue", cl::CL_INVALID_MEM_OBJECT, command(setup.queue, setup.queue.cast(), none));
        expect("buffer of another context", cl::CL_INVALID_CONTEXT, command(setup.queue, foreign, none));
        if *name != "unmap" {
            // An unmap has no valid pointer here, and which of two faults is reported is not said.
            let foreign_list: Events = (1, &foreign_event);
            expect("event of another context", cl::CL_INVALID_CONTEXT, command(setup.queue, buffer, foreign_list));
            expect("no list, but a count", cl::CL_INVALID_EVENT_WAIT_LIST, command(setup.queue, buffer, (1, null())));
            let no_count: Events = (0, &foreign_event);
            expect("a list, but no count", cl::CL_INVALID_EVENT_WAIT_LIST, command(setup.queue, buffer, no_count));
            let null_list: Events = (1, &null_event);
            expect("null event", cl::CL_INVALID_EVENT_WAIT_LIST, command(setup.queue, buffer, null_list));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert_eq!(mem_info::<u32>(buffer, cl::CL_MEM_MAP_COUNT), 0, "a map that failed must not count");
    ok!(clSetUserEventStatus(foreign_event, cl::CL_COMPLETE));
    ok!(clReleaseEvent(foreign_event));
    drop(commands);
    release_all(&[buffer, target, foreign]);
}

#[test]
fn errors_of_reading_and_writing() {
    let setup = Setup::new();
    let q = setup.queue;
    let plain = setup.buffer(cl::CL_MEM_READ_WRITE, 64);
    let write_only = setup.buffer(cl::CL_MEM_HOST_WRITE_ONLY, 64);
    let read_only = setup.buffer(cl::CL_MEM_HOST_READ_ONLY, 64);
    let closed = setup.buffer(cl::CL_MEM_HOST_NO_ACCESS, 64);
    let bytes = [0u8; 128];
    let host = at(&bytes);
    let read = |b, offset, size, p| call!(clEnqueueReadBuffer(q, b, 1, offset, size, p, 0, null(), null_mut()));
    let write = |b, offset, size, p| call!(clEnqueueWriteBuffer(q, b, 1, offset, size, p, 0, null(), null_mut()));
    table! {
        "read beyond the end" => CL_INVALID_VALUE, read(plain, 32, 33, host);
        "read from beyond the end" => CL_INVALID_VALUE, read(plain, 65, 1, host);
        "read with an end that does not fit" => CL_INVALID_VALUE, read(plain, usize::MAX, 2, host);
        "read to null" => CL_INVALID_VALUE, read(plain, 0, 64, null_mut());
        "read where the host only writes" => CL_INVALID_OPERATION, read(write_only, 0, 64, host);
        "read where the host has no access" => CL_INVALID_OPERATION, read(closed, 0, 64, host);
        "read where the host only reads" => CL_SUCCESS, read(read_only, 0, 64, host);
        "write beyond the end" => CL_INVALID_VALUE, write(plain, 0, 65, host);
        "write with an end that does not fit" => CL_INVALID_VALUE, write(plain, 1, usize::MAX, host);
        "write from null" => CL_INVALID_VALUE, write(plain, 0, 64, null_mut());
        "write where the host only reads" => CL_INVALID_OPERATION, write(read_only, 0, 64, host);
        "write where the host has no access" => CL_INVALID_OPERATION, write(closed, 0, 64, host);
        "write where the host only writes" => CL_SUCCESS, write(write_only, 0, 64, host);
    }
    release_all(&[plain, write_only, read_only, closed]);
}

#[test]
fn errors_of_copying() {
    let setup = Setup::new();
    let q = setup.queue;
    let align = setup.device_number::<u32>(cl::CL_DEVICE_MEM_BASE_ADDR_ALIGN) as usize / 8;
    let (a, b) = (setup.buffer(0, 4 * align), setup.buffer(0, 4 * align));
    let (first, second) = (setup.part(a, 0, 0, 2 * align), setup.part(a, 0, align, 2 * align));
    let copy = |from, to, x, y, size| call!(clEnqueueCopyBuffer(q, from, to, x, y, size, 0, null(), null_mut()));
    table! {
        "source out of bounds" => CL_INVALID_VALUE, copy(a, b, align, 0, 4 * align);
        "target out of bounds" => CL_INVALID_VALUE, copy(a, b, 0, align, 4 * align);
        "end that does not fit" => CL_INVALID_VALUE, copy(a, b, 1, 0, usize::MAX);
        "onto itself" => CL_MEM_COPY_OVERLAP, copy(a, a, 0, 0, align);
        "overlap by a byte" => CL_MEM_COPY_OVERLAP, copy(a, a, 0, align - 1, align);
        "overlap by a byte, backwards" => CL_MEM_COPY_OVERLAP, copy(a, a, align - 1, 0, align);
        "adjacent" => CL_SUCCESS, copy(a, a, 0, align, align);
        "overlap through sub-buffers" => CL_MEM_COPY_OVERLAP, copy(first, second, align, 0, align);
        "sub-buffer and its buffer" => CL_MEM_COPY_OVERLAP, copy(second, a, 0, 2 * align - 1, align);
        "parts of overlapping sub-buffers that do not overlap" => CL_SUCCESS, copy(first, second, 0, align, align);
        "between buffers" => CL_SUCCESS, copy(a, b, align, 0, 3 * align);
    }
    setup.finish();
    release_all(&[first, second, a, b]);
}

#[test]
fn errors_of_filling() {
    let setup = Setup::new();
    let buffer = setup.buffer(0, 256);
    let pattern = [0u8; 256];
    let fill = |p, size_of_pattern, offset, size| {
        call!(clEnqueueFillBuffer(setup.queue, buffer, p, size_of_pattern, offset, size, 0, null(), null_mut()))
    };
    table! {
        "null pattern" => CL_INVALID_VALUE, fill(null_mut(), 4, 0, 256);
        "pattern of nothing" => CL_INVALID_VALUE, fill(at(&pattern), 0, 0, 256);
        "pattern of three bytes" => CL_INVALID_VALUE, fill(at(&pattern), 3, 0, 255);
        "pattern too large" => CL_INVALID_VALUE, fill(at(&pattern), 256, 0, 256);
        "offset not a multiple" => CL_INVALID_VALUE, fill(at(&pattern), 4, 2, 16);
        "size not a multiple" => CL_INVALID_VALUE, fill(at(&pattern), 4, 0, 18);
        "out of bounds" => CL_INVALID_VALUE, fill(at(&pattern), 4, 252, 8);
        "end that does not fit" => CL_INVALID_VALUE, fill(at(&pattern), 4, usize::MAX - 3, 8);
        "largest pattern" => CL_SUCCESS, fill(at(&pattern), 128, 128, 128);
    }
    setup.finish();
    release(buffer);
}

#[test]
fn errors_of_migrating() {
    let setup = Setup::new();
    let buffer = setup.buffer(0, 64);
    let migrate =
        |count, list, flags| call!(clEnqueueMigrateMemObjects(setup.queue, count, list, flags, 0, null(), null_mut()));
    let both = cl::CL_MIGRATE_MEM_OBJECT_HOST | cl::CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    table! {
        "no objects" => CL_INVALID_VALUE, migrate(0, &buffer, 0);
        "null list" => CL_INVALID_VALUE, migrate(1, null(), 0);
        "unknown flag" => CL_INVALID_VALUE, migrate(1, &buffer, 1 << 2);
        "to the device" => CL_SUCCESS, migrate(1, &buffer, 0);
        "to the host" => CL_SUCCESS, migrate(1, &buffer, both);
    }
    setup.finish();
    release(buffer);
}

#[test]
fn errors_of_what_all_memory_objects_have() {
    let setup = Setup::new();
    let buffer = setup.buffer(0, 64);
    let mut value = 0u32;
    let too_small = {
        let size = size_of_val(&value) - 1;
        call!(clGetMemObjectInfo(buffer, cl::CL_MEM_TYPE, size, (&raw mut value).cast(), null_mut()))
    };
    table! {
        "retain null" => CL_INVALID_MEM_OBJECT, call!(clRetainMemObject(null_mut()));
        "release null" => CL_INVALID_MEM_OBJECT, call!(clReleaseMemObject(null_mut()));
        "release a queue" => CL_INVALID_MEM_OBJECT, call!(clReleaseMemObject(setup.queue.cast()));
        "query null" => CL_INVALID_MEM_OBJECT,
            call!(clGetMemObjectInfo(null_mut(), cl::CL_MEM_TYPE, 0, null_mut(), null_mut()));
        "unknown query" => CL_INVALID_VALUE, call!(clGetMemObjectInfo(buffer, 0x7777, 0, null_mut(), null_mut()));
        "answer does not fit" => CL_INVALID_VALUE, too_small;
        "no callback" => CL_INVALID_VALUE, call!(clSetMemObjectDestructorCallback(buffer, None, null_mut()));
        "callback of null" => CL_INVALID_MEM_OBJECT,
            call!(clSetMemObjectDestructorCallback(null_mut(), None, null_mut()));
    }
    release(buffer);
    table! {
        "retain after release" => CL_INVALID_MEM_OBJECT, call!(clRetainMemObject(buffer));
        "release after release" => CL_INVALID_MEM_OBJECT, call!(clReleaseMemObject(buffer));
    }
}
