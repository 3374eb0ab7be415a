//! Unified shared memory: errors, queries, and what its commands do to data.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::support::{Random, Setup, at, call, create, extension, mem_info, ok, release, table};

/// The three kinds of memory.
pub const KINDS: [u32; 3] = [cl::CL_MEM_TYPE_HOST_INTEL, cl::CL_MEM_TYPE_DEVICE_INTEL, cl::CL_MEM_TYPE_SHARED_INTEL];

/// An allocation of some kind with a property list; the code if there is none.
fn try_allocate(
    setup: &Setup,
    kind: u32,
    properties: *const u64,
    size: usize,
    alignment: u32,
) -> Result<*mut c_void, cl::cl_int> {
    let (context, device, mut code) = (setup.context, setup.device, 1);
    let code_ret = &mut code;
    let pointer = match kind {
        cl::CL_MEM_TYPE_HOST_INTEL => {
            extension!(clHostMemAllocINTEL(context, properties, size, alignment, code_ret))
        }
        cl::CL_MEM_TYPE_DEVICE_INTEL => {
            extension!(clDeviceMemAllocINTEL(context, device, properties, size, alignment, code_ret))
        }
        _ => extension!(clSharedMemAllocINTEL(context, device, properties, size, alignment, code_ret)),
    };
    assert_eq!(pointer.is_null(), code != cl::CL_SUCCESS, "pointer and code");
    if pointer.is_null() { Err(code) } else { Ok(pointer) }
}

/// An allocation that must succeed.
pub fn allocate(setup: &Setup, kind: u32, size: usize) -> *mut c_void {
    try_allocate(setup, kind, null(), size, 0).expect("an allocation")
}

/// Frees an allocation.
pub fn free(setup: &Setup, pointer: *mut c_void) {
    assert_eq!(extension!(clMemFreeINTEL(setup.context, pointer)), cl::CL_SUCCESS);
}

fn info<T: Default>(setup: &Setup, pointer: *const c_void, name: u32) -> T {
    let (mut value, mut size) = (T::default(), 0);
    let memory = (&raw mut value).cast();
    let code = extension!(clGetMemAllocInfoINTEL(setup.context, pointer, name, size_of::<T>(), memory, &mut size));
    assert_eq!((code, size), (cl::CL_SUCCESS, size_of::<T>()), "{name:#x}");
    value
}

const FLAGS: u64 = cl::CL_MEM_ALLOC_FLAGS_INTEL;
const WRITE_COMBINED: u64 = cl::CL_MEM_ALLOC_WRITE_COMBINED_INTEL;
const DEVICE_FIRST: u64 = cl::CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL;
const HOST_FIRST: u64 = cl::CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL;

#[test]
fn errors_of_allocations() {
    let setup = Setup::new();
    let largest = setup.device_number::<u64>(cl::CL_DEVICE_MAX_MEM_ALLOC_SIZE) as usize;
    for kind in KINDS {
        let code = |properties: &[u64], size, alignment| {
            let list = if properties.is_empty() { null() } else { properties.as_ptr() };
            match try_allocate(&setup, kind, list, size, alignment) {
                Ok(pointer) => {
                    free(&setup, pointer);
                    cl::CL_SUCCESS
                }
                Err(code) => code,
            }
        };
        table! {
            "nothing but a size" => CL_SUCCESS, code(&[], 100, 0);
            "an empty list" => CL_SUCCESS, code(&[0], 100, 1);
            "the largest alignment" => CL_SUCCESS, code(&[], 1, 128);
            "write-combined" => CL_SUCCESS, code(&[FLAGS, WRITE_COMBINED, 0], 1, 0);
            "an alignment of 3" => CL_INVALID_VALUE, code(&[], 100, 3);
            "an alignment beyond the largest type" => CL_INVALID_VALUE, code(&[], 100, 256);
            "an alignment comes before properties" => CL_INVALID_VALUE, code(&[1, 1, 0], 0, 3);
            "an unknown property" => CL_INVALID_PROPERTY, code(&[FLAGS + 1, 0, 0], 100, 0);
            "a property comes before the size" => CL_INVALID_PROPERTY, code(&[1, 1, 0], 0, 0);
            "a property twice" => CL_INVALID_PROPERTY, code(&[FLAGS, 0, FLAGS, 0, 0], 100, 0);
            "an unknown flag" => CL_INVALID_PROPERTY, code(&[FLAGS, 8, 0], 100, 0);
            "both placements" => CL_INVALID_PROPERTY, code(&[FLAGS, DEVICE_FIRST | HOST_FIRST, 0], 100, 0);
            "no bytes" => CL_INVALID_BUFFER_SIZE, code(&[], 0, 0);
            "more than a device allows" => CL_INVALID_BUFFER_SIZE, code(&[], largest + 1, 0);
            "more than there is" => CL_INVALID_BUFFER_SIZE, code(&[], usize::MAX, 0);
        }
        for placement in [DEVICE_FIRST, HOST_FIRST] {
            let expected = if kind == cl::CL_MEM_TYPE_SHARED_INTEL { cl::CL_SUCCESS } else { cl::CL_INVALID_PROPERTY };
            assert_eq!(code(&[FLAGS, placement, 0], 100, 0), expected, "{kind:#x} {placement:#x}");
        }
    }
    let mut code = 1;
    let null_context = null_mut();
    extension!(clHostMemAllocINTEL(null_context, null(), 1, 0, &mut code));
    assert_eq!(code, cl::CL_INVALID_CONTEXT);
    extension!(clDeviceMemAllocINTEL(setup.context, null_mut(), null(), 1, 0, &mut code));
    assert_eq!(code, cl::CL_INVALID_DEVICE, "device memory belongs to a device");
    extension!(clSharedMemAllocINTEL(setup.context, setup.context.cast(), null(), 1, 0, &mut code));
    assert_eq!(code, cl::CL_INVALID_DEVICE);
}

#[test]
fn a_device_of_another_context_is_refused() {
    let setup = Setup::new();
    let units: u32 = setup.device_number(cl::CL_DEVICE_MAX_COMPUTE_UNITS);
    if units < 2 {
        return;
    }
    let list = [cl::CL_DEVICE_PARTITION_BY_COUNTS, 1, cl::CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0];
    let mut part = null_mut();
    ok!(clCreateSubDevices(setup.device, list.as_ptr(), 1, &mut part, null_mut()));
    let mut code = 1;
    extension!(clDeviceMemAllocINTEL(setup.context, part, null(), 1, 0, &mut code));
    assert_eq!(code, cl::CL_INVALID_DEVICE);
    extension!(clSharedMemAllocINTEL(setup.context, part, null(), 1, 0, &mut code));
    assert_eq!(code, cl::CL_INVALID_DEVICE);
    ok!(clReleaseDevice(part));
}

#[test]
fn queries_know_every_byte_of_an_allocation_and_no_other() {
    let setup = Setup::new();
    for kind in KINDS {
        for size in [1usize, 1000, 600_000] {
            let list = [FLAGS, WRITE_COMBINED, 0];
            let pointer = try_allocate(&setup, kind, list.as_ptr(), size, 64).unwrap();
            assert_eq!(pointer.addr() % 64, 0);
            for offset in [0, size / 2, size - 1] {
                let inside = pointer.wrapping_byte_add(offset);
                assert_eq!(info::<u32>(&setup, inside, cl::CL_MEM_ALLOC_TYPE_INTEL), kind);
                assert_eq!(info::<usize>(&setup, inside, cl::CL_MEM_ALLOC_BASE_PTR_INTEL), pointer.addr());
                assert_eq!(info::<usize>(&setup, inside, cl::CL_MEM_ALLOC_SIZE_INTEL), size);
                assert_eq!(info::<u64>(&setup, inside, FLAGS as u32), WRITE_COMBINED);
                let device = if kind == cl::CL_MEM_TYPE_HOST_INTEL { 0 } else { setup.device.addr() };
                assert_eq!(info::<usize>(&setup, inside, cl::CL_MEM_ALLOC_DEVICE_INTEL), device);
            }
            free(&setup, pointer);
            assert_unknown(&setup, pointer);
        }
    }
    let mut code = 1;
    let cross = extension!(clSharedMemAllocINTEL(setup.context, null_mut(), null(), 64, 0, &mut code));
    assert_eq!(info::<u32>(&setup, cross, cl::CL_MEM_ALLOC_TYPE_INTEL), cl::CL_MEM_TYPE_SHARED_INTEL);
    assert_eq!(info::<usize>(&setup, cross, cl::CL_MEM_ALLOC_DEVICE_INTEL), 0);
    assert_unknown(&setup, null());
    assert_unknown(&setup, at(&code));
    let svm = call!(clSVMAlloc(setup.context, 0, 64, 0));
    assert_unknown(&setup, svm);
    let other = Setup::new();
    assert_unknown(&other, cross);
    free(&setup, cross);
    call!(clSVMFree(setup.context, svm));
}

fn assert_unknown(setup: &Setup, pointer: *const c_void) {
    assert_eq!(info::<u32>(setup, pointer, cl::CL_MEM_ALLOC_TYPE_INTEL), cl::CL_MEM_TYPE_UNKNOWN_INTEL);
    for name in [cl::CL_MEM_ALLOC_BASE_PTR_INTEL, cl::CL_MEM_ALLOC_SIZE_INTEL, cl::CL_MEM_ALLOC_DEVICE_INTEL] {
        assert_eq!(info::<usize>(setup, pointer, name), 0);
    }
    assert_eq!(info::<u64>(setup, pointer, FLAGS as u32), 0);
}

#[test]
fn errors_of_queries_and_frees() {
    let setup = Setup::new();
    let pointer = allocate(&setup, cl::CL_MEM_TYPE_SHARED_INTEL, 64);
    let svm = call!(clSVMAlloc(setup.context, 0, 64, 0));
    let mut place = [0u64; 2];
    let memory: *mut c_void = place.as_mut_ptr().cast();
    let query =
        |context, name, size| extension!(clGetMemAllocInfoINTEL(context, pointer, name, size, memory, null_mut()));
    let free = |context, pointer| extension!(clMemFreeINTEL(context, pointer));
    let wait = |context, pointer| extension!(clMemBlockingFreeINTEL(context, pointer));
    let other = Setup::new();
    table! {
        "query, no context" => CL_INVALID_CONTEXT, query(null_mut(), cl::CL_MEM_ALLOC_TYPE_INTEL, 16);
        "query that does not exist" => CL_INVALID_VALUE, query(setup.context, 0x4190, 16);
        "query, too small" => CL_INVALID_VALUE, query(setup.context, cl::CL_MEM_ALLOC_SIZE_INTEL, 7);
        "query" => CL_SUCCESS, query(setup.context, cl::CL_MEM_ALLOC_SIZE_INTEL, 16);
        "free, no context" => CL_INVALID_CONTEXT, free(null_mut(), pointer);
        "free in another context" => CL_INVALID_VALUE, free(other.context, pointer);
        "free an inner address" => CL_INVALID_VALUE, free(setup.context, pointer.wrapping_byte_add(1));
        "free other memory" => CL_INVALID_VALUE, free(setup.context, memory);
        "free what is not of this kind" => CL_INVALID_VALUE, free(setup.context, svm);
        "free null" => CL_SUCCESS, free(setup.context, null_mut());
        "blocking, no context" => CL_INVALID_CONTEXT, wait(null_mut(), pointer);
        "blocking, an inner address" => CL_INVALID_VALUE, wait(setup.context, pointer.wrapping_byte_add(1));
        "blocking, null" => CL_SUCCESS, wait(setup.context, null_mut());
        "blocking" => CL_SUCCESS, wait(setup.context, pointer);
        "free twice" => CL_INVALID_VALUE, free(setup.context, pointer);
    }
    let kept = allocate(&setup, cl::CL_MEM_TYPE_HOST_INTEL, 64);
    call!(clSVMFree(setup.context, kept));
    assert_eq!(info::<usize>(&setup, kept, cl::CL_MEM_ALLOC_SIZE_INTEL), 64, "clSVMFree is for other memory");
    assert_eq!(free(setup.context, kept), cl::CL_SUCCESS);
    call!(clSVMFree(setup.context, svm));
}

#[test]
fn errors_of_commands() {
    let setup = Setup::new();
    let q = setup.queue;
    let p = allocate(&setup, cl::CL_MEM_TYPE_DEVICE_INTEL, 1024);
    let plus = |offset: usize| p.wrapping_byte_add(offset);
    let pattern = [0u8; 256];
    let none = (null(), null_mut());
    let fill = |to, bytes, pattern_size, size| {
        extension!(clEnqueueMemFillINTEL(q, to, bytes, pattern_size, size, 0, none.0, none.1))
    };
    let set = |to, size| extension!(clEnqueueMemsetINTEL(q, to, 1, size, 0, none.0, none.1));
    let copy = |to, from, size| extension!(clEnqueueMemcpyINTEL(q, 1, to, from, size, 0, none.0, none.1));
    let migrate = |flags| extension!(clEnqueueMigrateMemINTEL(q, p, 1024, flags, 0, none.0, none.1));
    let advise = |advice| extension!(clEnqueueMemAdviseINTEL(q, p, 1024, advice, 0, none.0, none.1));
    table! {
        "fill, null queue" => CL_INVALID_COMMAND_QUEUE,
            extension!(clEnqueueMemFillINTEL(null_mut(), p, at(&pattern), 4, 64, 0, none.0, none.1));
        "fill, a list without events" => CL_INVALID_EVENT_WAIT_LIST,
            extension!(clEnqueueMemFillINTEL(q, p, at(&pattern), 4, 64, 1, none.0, none.1));
        "fill null" => CL_INVALID_VALUE, fill(null_mut(), at(&pattern), 4, 64);
        "fill misaligned" => CL_INVALID_VALUE, fill(plus(2), at(&pattern), 4, 64);
        "fill with null" => CL_INVALID_VALUE, fill(p, null_mut(), 4, 64);
        "fill with nothing" => CL_INVALID_VALUE, fill(p, at(&pattern), 0, 64);
        "fill with three bytes" => CL_INVALID_VALUE, fill(p, at(&pattern), 3, 63);
        "fill with too many bytes" => CL_INVALID_VALUE, fill(p, at(&pattern), 256, 256);
        "fill size no multiple" => CL_INVALID_VALUE, fill(p, at(&pattern), 4, 66);
        "fill beyond the end" => CL_INVALID_VALUE, fill(p, at(&pattern), 1, 1025);
        "fill with the largest pattern" => CL_SUCCESS, fill(p, at(&pattern), 128, 1024);
        "set null" => CL_INVALID_VALUE, set(null_mut(), 64);
        "set" => CL_SUCCESS, set(plus(1), 1023);
        "copy, null queue" => CL_INVALID_COMMAND_QUEUE,
            extension!(clEnqueueMemcpyINTEL(null_mut(), 1, p, plus(512), 8, 0, none.0, none.1));
        "copy, a list without events" => CL_INVALID_EVENT_WAIT_LIST,
            extension!(clEnqueueMemcpyINTEL(q, 1, p, plus(512), 8, 1, none.0, none.1));
        "copy to null" => CL_INVALID_VALUE, copy(null_mut(), p, 8);
        "copy from null" => CL_INVALID_VALUE, copy(p, null_mut(), 8);
        "copy, overlap by a byte" => CL_MEM_COPY_OVERLAP, copy(p, plus(7), 8);
        "copy beyond the end" => CL_INVALID_VALUE, copy(p, plus(1000), 25);
        "copy, adjacent" => CL_SUCCESS, copy(p, plus(8), 8);
        "copy nothing" => CL_SUCCESS, copy(p, p, 0);
        "migrate, null queue" => CL_INVALID_COMMAND_QUEUE,
            extension!(clEnqueueMigrateMemINTEL(null_mut(), p, 1024, 0, 0, none.0, none.1));
        "migrate, a list without events" => CL_INVALID_EVENT_WAIT_LIST,
            extension!(clEnqueueMigrateMemINTEL(q, p, 1024, 0, 1, none.0, none.1));
        "migrate with an unknown flag" => CL_INVALID_VALUE, migrate(1 << 5);
        "migrate to the device" => CL_SUCCESS, migrate(0);
        "migrate to the host" => CL_SUCCESS, migrate(cl::CL_MIGRATE_MEM_OBJECT_HOST);
        "advise, null queue" => CL_INVALID_COMMAND_QUEUE,
            extension!(clEnqueueMemAdviseINTEL(null_mut(), p, 1024, 0, 0, none.0, none.1));
        "advise, a list without events" => CL_INVALID_EVENT_WAIT_LIST,
            extension!(clEnqueueMemAdviseINTEL(q, p, 1024, 0, 1, none.0, none.1));
        "advise what is no advice" => CL_INVALID_VALUE, advise(1);
        "advise" => CL_SUCCESS, advise(0);
        "advise what may come" => CL_SUCCESS, advise(0x4208);
    }
    setup.finish();
    free(&setup, p);
}

#[test]
fn commands_tell_their_type() {
    let setup = Setup::new();
    let p = allocate(&setup, cl::CL_MEM_TYPE_SHARED_INTEL, 64);
    let q = setup.queue;
    let (five, other) = ([5u8], p.wrapping_byte_add(32));
    let type_of = |enqueue: &dyn Fn(*mut cl::cl_event) -> cl::cl_int| {
        let (mut event, mut kind) = (null_mut(), 0u32);
        assert_eq!(enqueue(&mut event), cl::CL_SUCCESS);
        ok!(clGetEventInfo(event, cl::CL_EVENT_COMMAND_TYPE, 4, (&raw mut kind).cast(), null_mut()));
        ok!(clReleaseEvent(event));
        kind
    };
    let fill = |event| extension!(clEnqueueMemFillINTEL(q, p, at(&five), 1, 64, 0, null(), event));
    let set = |event| extension!(clEnqueueMemsetINTEL(q, p, 5, 64, 0, null(), event));
    let copy = |event| extension!(clEnqueueMemcpyINTEL(q, 0, p, other, 32, 0, null(), event));
    let migrate = |event| extension!(clEnqueueMigrateMemINTEL(q, p, 64, 0, 0, null(), event));
    let advise = |event| extension!(clEnqueueMemAdviseINTEL(q, p, 64, 0, 0, null(), event));
    assert_eq!(type_of(&fill), cl::CL_COMMAND_MEMFILL_INTEL);
    assert_eq!(type_of(&set), cl::CL_COMMAND_MEMFILL_INTEL);
    assert_eq!(type_of(&copy), cl::CL_COMMAND_MEMCPY_INTEL);
    assert_eq!(type_of(&migrate), cl::CL_COMMAND_MIGRATEMEM_INTEL);
    assert_eq!(type_of(&advise), cl::CL_COMMAND_MEMADVISE_INTEL);
    setup.finish();
    free(&setup, p);
}

#[test]
fn copies_and_fills_reach_every_kind_of_memory() {
    let setup = Setup::new();
    let q = setup.queue;
    let mut random = Random::new(77);
    for (from, to) in KINDS.into_iter().flat_map(|from| KINDS.map(|to| (from, to))) {
        for size in [1usize, 4097, 300_000] {
            let (a, b) = (allocate(&setup, from, size), allocate(&setup, to, size));
            let source = random.bytes(size);
            let mut back = vec![0u8; size];
            let data: *mut c_void = back.as_mut_ptr().cast();
            let copy = |to, from| extension!(clEnqueueMemcpyINTEL(q, 0, to, from, size, 0, null(), null_mut()));
            assert_eq!(copy(a, source.as_ptr().cast()), cl::CL_SUCCESS);
            assert_eq!(copy(b, a.cast_const()), cl::CL_SUCCESS);
            assert_eq!(copy(data, b.cast_const()), cl::CL_SUCCESS);
            setup.finish();
            assert!(back == source, "{from:#x} {to:#x} {size}");
            let pattern = random.bytes(16);
            let whole = size / 16 * 16;
            let bytes = pattern.as_ptr().cast();
            assert_eq!(extension!(clEnqueueMemFillINTEL(q, b, bytes, 16, whole, 0, null(), null_mut())), 0);
            assert_eq!(copy(data, b.cast_const()), cl::CL_SUCCESS);
            setup.finish();
            assert!(back[..whole].chunks(16).all(|part| part == pattern) && back[whole..] == source[whole..]);
            assert_eq!(extension!(clEnqueueMemsetINTEL(q, b, 0x1234, size, 0, null(), null_mut())), 0);
            assert_eq!(copy(data, b.cast_const()), cl::CL_SUCCESS);
            setup.finish();
            assert!(back.iter().all(|byte| *byte == 0x34));
            free(&setup, a);
            free(&setup, b);
        }
    }
}

#[test]
fn memory_freed_while_commands_wait_stays_until_they_are_over() {
    let setup = Setup::new();
    for blocking in [false, true] {
        let size = 300_000;
        let p = allocate(&setup, cl::CL_MEM_TYPE_DEVICE_INTEL, size);
        assert_eq!(extension!(clEnqueueMemsetINTEL(setup.queue, p, 6, size, 0, null(), null_mut())), cl::CL_SUCCESS);
        let mut back = vec![0u8; size];
        let data: *mut c_void = back.as_mut_ptr().cast();
        let gate = create!(clCreateUserEvent(setup.context));
        let from = p.cast_const();
        assert_eq!(extension!(clEnqueueMemcpyINTEL(setup.queue, 0, data, from, size, 1, &gate, null_mut())), 0);
        ok!(clFlush(setup.queue));
        if blocking {
            let gate = gate.addr();
            let opener = std::thread::spawn(move || {
                std::thread::sleep(std::time::Duration::from_millis(20));
                let gate: cl::cl_event = std::ptr::with_exposed_provenance_mut(gate);
                ok!(clSetUserEventStatus(gate, cl::CL_COMPLETE));
            });
            assert_eq!(extension!(clMemBlockingFreeINTEL(setup.context, p)), cl::CL_SUCCESS);
            assert!(back.iter().all(|byte| *byte == 6), "the free waited for the copy");
            opener.join().unwrap();
        } else {
            free(&setup, p);
            ok!(clSetUserEventStatus(gate, cl::CL_COMPLETE));
            setup.finish();
            assert!(back.iter().all(|byte| *byte == 6), "the copy kept its memory");
        }
        assert_unknown(&setup, p);
        ok!(clReleaseEvent(gate));
    }
}

#[test]
fn a_buffer_on_an_allocation_is_that_memory() {
    let setup = Setup::new();
    for kind in KINDS {
        let p = allocate(&setup, kind, 256);
        let buffer = create!(clCreateBuffer(setup.context, cl::CL_MEM_USE_HOST_PTR, 256, p));
        assert_eq!(mem_info::<usize>(buffer, cl::CL_MEM_HOST_PTR), p.addr());
        assert_eq!(mem_info::<u32>(buffer, cl::CL_MEM_USES_SVM_POINTER), cl::CL_FALSE);
        let nine = [9u8];
        ok!(clEnqueueFillBuffer(setup.queue, buffer, at(&nine), 1, 0, 256, 0, null(), null_mut()));
        let mut back = [0u8; 256];
        let data: *mut c_void = back.as_mut_ptr().cast();
        assert_eq!(extension!(clEnqueueMemcpyINTEL(setup.queue, 1, data, p, 256, 0, null(), null_mut())), 0);
        assert_eq!(back, [9; 256]);
        // The buffer keeps what it stands on.
        free(&setup, p);
        assert_eq!(setup.read(buffer), [9; 256]);
        release(buffer);
        let p = allocate(&setup, kind, 256);
        let copied = create!(clCreateBuffer(setup.context, cl::CL_MEM_COPY_HOST_PTR, 256, p));
        assert_eq!(setup.read(copied), [0; 256], "new memory is zero");
        release(copied);
        let mut code = 1;
        let beyond = call!(clCreateBuffer(setup.context, cl::CL_MEM_USE_HOST_PTR, 257, p, &mut code));
        assert!(beyond.is_null());
        assert_eq!(code, cl::CL_INVALID_BUFFER_SIZE);
        free(&setup, p);
    }
}
