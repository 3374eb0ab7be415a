//! Shared virtual memory: errors, data, and buffers on it.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};

use khronos_headers as cl;

use crate::support::{Random, Setup, at, call, code_of, create, mem_info, ok, release_all, table};

fn allocate(setup: &Setup, size: usize) -> *mut u8 {
    let pointer = call!(clSVMAlloc(setup.context, cl::CL_MEM_READ_WRITE, size, 0));
    assert!(!pointer.is_null());
    pointer.cast()
}

fn free(setup: &Setup, pointer: *mut u8) {
    call!(clSVMFree(setup.context, pointer.cast()));
}

/// Bytes of an allocation that no command uses.
fn bytes<'a>(pointer: *mut u8, size: usize) -> &'a mut [u8] {
    // SAFETY: the tests call it with what they allocated, between commands, and drop the result before the next.
    unsafe { std::slice::from_raw_parts_mut(pointer, size) }
}

#[test]
fn allocations_that_cannot_be_are_null() {
    let setup = Setup::new();
    let largest: u64 = setup.device_number(cl::CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    let alloc = |flags, size, alignment| {
        let pointer = call!(clSVMAlloc(setup.context, flags, size, alignment));
        let is_null = pointer.is_null();
        call!(clSVMFree(setup.context, pointer));
        is_null
    };
    assert!(call!(clSVMAlloc(null_mut(), 0, 64, 0)).is_null(), "no context");
    assert!(alloc(0, 0, 0), "no bytes");
    assert!(alloc(0, largest as usize + 1, 0), "too large");
    assert!(alloc(0, usize::MAX, 0), "larger than any address space");
    assert!(alloc(0, 64, 3), "alignment that is no power of two");
    assert!(alloc(cl::CL_MEM_SVM_ATOMICS, 64, 0), "atomics without fine grain");
    assert!(alloc(cl::CL_MEM_READ_ONLY | cl::CL_MEM_WRITE_ONLY, 64, 0), "flags that exclude each other");
    assert!(alloc(cl::CL_MEM_USE_HOST_PTR, 64, 0), "a flag for buffers");
    assert!(!alloc(cl::CL_MEM_SVM_FINE_GRAIN_BUFFER | cl::CL_MEM_SVM_ATOMICS, 64, 0), "all levels");
    assert!(!alloc(0, 64, 128), "the largest alignment that every device has");
}

#[test]
fn allocations_are_aligned_as_asked() {
    let setup = Setup::new();
    for alignment in [0u32, 1, 4, 64, 128] {
        for size in [1, 100, 100_000, 10_000_000] {
            let pointer = call!(clSVMAlloc(setup.context, 0, size, alignment));
            let expected = if alignment == 0 { 128 } else { alignment as usize };
            assert_eq!(pointer.addr() % expected, 0, "{size} {alignment}");
            free(&setup, pointer.cast());
        }
    }
    free(&setup, null_mut());
}

#[test]
fn errors_of_svm_commands() {
    let setup = Setup::new();
    let q = setup.queue;
    let pointer = allocate(&setup, 1024);
    let p: *mut c_void = pointer.cast();
    let plus = |offset: usize| p.wrapping_byte_add(offset);
    let pattern = [0u8; 256];
    let copy = |to, from, size| call!(clEnqueueSVMMemcpy(q, 1, to, from, size, 0, null(), null_mut()));
    let fill = |to, bytes, pattern_size, size| {
        call!(clEnqueueSVMMemFill(q, to, bytes, pattern_size, size, 0, null(), null_mut()))
    };
    let map = |flags, at, size| call!(clEnqueueSVMMap(q, 1, flags, at, size, 0, null(), null_mut()));
    let migrate = |count, list: *const *mut c_void, sizes, flags| {
        let list = list.cast_mut().cast();
        call!(clEnqueueSVMMigrateMem(q, count, list, sizes, flags, 0, null(), null_mut()))
    };
    let mut freed = [p];
    let f = freed.as_mut_ptr();
    let too_long = [1025usize];
    let fitting = [1024usize];
    table! {
        "copy, null queue" => CL_INVALID_COMMAND_QUEUE,
            call!(clEnqueueSVMMemcpy(null_mut(), 1, p, plus(512), 8, 0, null(), null_mut()));
        "copy to null" => CL_INVALID_VALUE, copy(null_mut(), p, 8);
        "copy from null" => CL_INVALID_VALUE, copy(p, null_mut(), 8);
        "copy onto itself" => CL_MEM_COPY_OVERLAP, copy(p, p, 8);
        "copy, overlap by a byte" => CL_MEM_COPY_OVERLAP, copy(p, plus(7), 8);
        "copy, adjacent" => CL_SUCCESS, copy(p, plus(8), 8);
        "copy, bad list" => CL_INVALID_EVENT_WAIT_LIST,
            call!(clEnqueueSVMMemcpy(q, 1, p, plus(512), 8, 1, null(), null_mut()));
        "fill null" => CL_INVALID_VALUE, fill(null_mut(), at(&pattern), 4, 64);
        "fill misaligned" => CL_INVALID_VALUE, fill(plus(2), at(&pattern), 4, 64);
        "fill with null" => CL_INVALID_VALUE, fill(p, null_mut(), 4, 64);
        "fill with nothing" => CL_INVALID_VALUE, fill(p, at(&pattern), 0, 64);
        "fill with three bytes" => CL_INVALID_VALUE, fill(p, at(&pattern), 3, 63);
        "fill with too many bytes" => CL_INVALID_VALUE, fill(p, at(&pattern), 256, 256);
        "fill size no multiple" => CL_INVALID_VALUE, fill(p, at(&pattern), 4, 66);
        "fill with the largest pattern" => CL_SUCCESS, fill(p, at(&pattern), 128, 1024);
        "map null" => CL_INVALID_VALUE, map(cl::CL_MAP_READ, null_mut(), 64);
        "map nothing" => CL_INVALID_VALUE, map(cl::CL_MAP_READ, p, 0);
        "map with an unknown flag" => CL_INVALID_VALUE, map(1 << 5, p, 64);
        "map" => CL_SUCCESS, map(cl::CL_MAP_READ | cl::CL_MAP_WRITE, p, 64);
        "unmap null" => CL_INVALID_VALUE, call!(clEnqueueSVMUnmap(q, null_mut(), 0, null(), null_mut()));
        "unmap" => CL_SUCCESS, call!(clEnqueueSVMUnmap(q, p, 0, null(), null_mut()));
        "migrate nothing" => CL_INVALID_VALUE, migrate(0, f, null(), 0);
        "migrate null list" => CL_INVALID_VALUE, migrate(1, null(), null(), 0);
        "migrate with an unknown flag" => CL_INVALID_VALUE, migrate(1, f, null(), 1 << 3);
        "migrate more than the allocation" => CL_INVALID_VALUE, migrate(1, f, too_long.as_ptr(), 0);
        "migrate the allocation" => CL_SUCCESS, migrate(1, f, fitting.as_ptr(), 0);
        "migrate without sizes" => CL_SUCCESS, migrate(1, f, null(), cl::CL_MIGRATE_MEM_OBJECT_HOST);
        "free, a count but no list" => CL_INVALID_VALUE,
            call!(clEnqueueSVMFree(q, 1, null_mut(), None, null_mut(), 0, null(), null_mut()));
        "free, a list but no count" => CL_INVALID_VALUE,
            call!(clEnqueueSVMFree(q, 0, f, None, null_mut(), 0, null(), null_mut()));
        "free, null queue" => CL_INVALID_COMMAND_QUEUE,
            call!(clEnqueueSVMFree(null_mut(), 1, f, None, null_mut(), 0, null(), null_mut()));
        "free" => CL_SUCCESS, call!(clEnqueueSVMFree(q, 1, f, None, null_mut(), 0, null(), null_mut()));
    }
    setup.finish();
}

#[test]
fn copies_and_fills_reach_svm_and_host_memory_alike() {
    let setup = Setup::new();
    let mut random = Random::new(31);
    for size in [1, 100, 4097, 40_000, 3 << 20] {
        let shared = allocate(&setup, size);
        let source = random.bytes(size);
        let mut back = vec![0u8; size];
        let s: *mut c_void = shared.cast();
        ok!(clEnqueueSVMMemcpy(setup.queue, 1, s, source.as_ptr().cast(), size, 0, null(), null_mut()));
        assert!(bytes(shared, size) == source);
        ok!(clEnqueueSVMMemcpy(setup.queue, 1, back.as_mut_ptr().cast(), s, size, 0, null(), null_mut()));
        assert!(back == source);
        for log in 0..=7 {
            let pattern = random.bytes(1 << log);
            let fill = size / pattern.len() * pattern.len();
            ok!(clEnqueueSVMMemFill(
                setup.queue,
                s,
                pattern.as_ptr().cast(),
                pattern.len(),
                fill,
                0,
                null(),
                null_mut()
            ));
            setup.finish();
            assert!(bytes(shared, fill).chunks(pattern.len()).all(|part| part == pattern), "{size} {log}");
        }
        free(&setup, shared);
    }
}

#[test]
fn a_buffer_on_svm_is_that_memory() {
    let setup = Setup::new();
    let size = 4096;
    let shared = allocate(&setup, size);
    let flags = cl::CL_MEM_USE_HOST_PTR;
    let buffer = create!(clCreateBuffer(setup.context, flags, size, shared.cast()));
    let align = setup.device_number::<u32>(cl::CL_DEVICE_MEM_BASE_ADDR_ALIGN) as usize / 8;
    let part = setup.part(buffer, 0, align, align);
    assert_eq!(mem_info::<u32>(buffer, cl::CL_MEM_USES_SVM_POINTER), cl::CL_TRUE);
    assert_eq!(mem_info::<u32>(part, cl::CL_MEM_USES_SVM_POINTER), cl::CL_TRUE);
    let nine = [9u8];
    ok!(clEnqueueFillBuffer(setup.queue, part, at(&nine), 1, 0, align, 0, null(), null_mut()));
    let map = cl::CL_MAP_READ;
    let pointer = create!(clEnqueueMapBuffer(setup.queue, buffer, cl::CL_TRUE, map, 0, size, 0, null(), null_mut()));
    assert_eq!(pointer.addr(), shared.addr());
    assert!(bytes(shared, size)[align..2 * align].iter().all(|&byte| byte == 9));
    ok!(clEnqueueUnmapMemObject(setup.queue, buffer, pointer, 0, null(), null_mut()));
    setup.finish();
    let beyond = code_of!(clCreateBuffer(setup.context, flags, size + 1, shared.cast()));
    assert_eq!(beyond, cl::CL_INVALID_BUFFER_SIZE, "larger than the allocation");
    release_all(&[part, buffer]);
    free(&setup, shared);
}

/// What the callback below was told: the number of pointers, and their sum.
static FREED: [AtomicUsize; 2] = [AtomicUsize::new(0), AtomicUsize::new(0)];

unsafe extern "C-unwind" fn note_freed(
    _queue: cl::cl_command_queue,
    count: cl::cl_uint,
    pointers: *mut *mut c_void,
    context: *mut c_void,
) {
    let mut sum = 0usize;
    for index in 0..count as usize {
        // SAFETY: the driver passes `count` pointers.
        let pointer = unsafe { *pointers.add(index) };
        sum = sum.wrapping_add(pointer.addr());
        call!(clSVMFree(context.cast(), pointer));
    }
    FREED[1].store(sum, Ordering::Release);
    FREED[0].store(count as usize, Ordering::Release);
}

#[test]
fn a_free_with_a_callback_leaves_the_freeing_to_it() {
    let setup = Setup::new();
    let mut pointers: Vec<*mut c_void> = (0..3).map(|_| allocate(&setup, 100).cast()).collect();
    let sum = pointers.iter().fold(0usize, |sum, pointer| sum.wrapping_add(pointer.addr()));
    let mut event = null_mut();
    let list = pointers.as_mut_ptr();
    let context = setup.context.cast();
    ok!(clEnqueueSVMFree(setup.queue, 3, list, Some(note_freed), context, 0, null(), &mut event));
    // The list may be reused at once.
    pointers.fill(null_mut());
    ok!(clWaitForEvents(1, &event));
    assert_eq!(FREED[0].load(Ordering::Acquire), 3);
    assert_eq!(FREED[1].load(Ordering::Acquire), sum);
    ok!(clReleaseEvent(event));
}
