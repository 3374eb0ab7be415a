//! Types of shared memory by number: queries, allocations, pointers, and memory that kernels reach.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use khronos_headers as cl;
use oxicl_tests::offline::{Level, compile};

use crate::support::{Setup, at, call, create, extension, mem_info, ok, release, table};
use crate::usm;

const DEVICE: u64 = cl::CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR;
const ACCESS: u64 = cl::CL_SVM_ALLOC_ACCESS_FLAGS_KHR;
const ALIGNMENT: u64 = cl::CL_SVM_ALLOC_ALIGNMENT_KHR;

/// What the device says of each type.
fn types(setup: &Setup) -> Vec<u64> {
    let mut size = 0;
    ok!(clGetDeviceInfo(setup.device, cl::CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR, 0, null_mut(), &mut size));
    let mut types = vec![0u64; size / 8];
    let place = types.as_mut_ptr().cast();
    ok!(clGetDeviceInfo(setup.device, cl::CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR, size, place, null_mut()));
    types
}

fn try_allocate(setup: &Setup, list: *const u64, index: u32, size: usize) -> Result<*mut c_void, cl::cl_int> {
    let mut code = 1;
    let pointer = extension!(clSVMAllocWithPropertiesKHR(setup.context, list, index, size, &mut code));
    assert_eq!(pointer.is_null(), code != cl::CL_SUCCESS, "pointer and code");
    if pointer.is_null() { Err(code) } else { Ok(pointer) }
}

/// Memory of a type, with the device if it has to have one.
fn allocate(setup: &Setup, index: u32, size: usize) -> *mut c_void {
    let list = [DEVICE, setup.device.expose_provenance() as u64, 0];
    let free = types(setup)[index as usize] & cl::CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR != 0;
    try_allocate(setup, if free { null() } else { list.as_ptr() }, index, size).expect("an allocation")
}

fn free(setup: &Setup, pointer: *mut c_void) -> cl::cl_int {
    extension!(clSVMFreeWithPropertiesKHR(setup.context, null(), 0, pointer))
}

/// An answer about a pointer: its bytes.
fn info(setup: &Setup, device: cl::cl_device_id, pointer: *const c_void, name: u32) -> Vec<u8> {
    let mut size = 0;
    let (context, none) = (setup.context, null_mut());
    let code = extension!(clGetSVMPointerInfoKHR(context, device, pointer, name, 0, none, &mut size));
    assert_eq!(code, cl::CL_SUCCESS);
    let mut bytes = vec![0u8; size];
    let place = bytes.as_mut_ptr().cast();
    let code = extension!(clGetSVMPointerInfoKHR(context, device, pointer, name, size, place, null_mut()));
    assert_eq!(code, cl::CL_SUCCESS);
    bytes
}

fn number(setup: &Setup, pointer: *const c_void, name: u32) -> u64 {
    let bytes = info(setup, null_mut(), pointer, name);
    assert_eq!(bytes, info(setup, setup.device, pointer, name), "{name:#x}: the only device is all devices");
    u64::from_ne_bytes(bytes.try_into().expect("eight bytes"))
}

fn type_of(setup: &Setup, pointer: *const c_void) -> u32 {
    u32::from_ne_bytes(info(setup, null_mut(), pointer, cl::CL_SVM_INFO_TYPE_INDEX_KHR).try_into().unwrap())
}

#[test]
fn platform_and_device_list_the_same_types() {
    let setup = Setup::new();
    let types = types(&setup);
    let mut platform = null_mut();
    ok!(clGetPlatformIDs(1, &mut platform, null_mut()));
    let mut of_platform = vec![0u64; types.len() + 1];
    let (mut size, place) = (0, of_platform.as_mut_ptr().cast());
    ok!(clGetPlatformInfo(
        platform,
        cl::CL_PLATFORM_SVM_TYPE_CAPABILITIES_KHR,
        8 * of_platform.len(),
        place,
        &mut size
    ));
    assert_eq!(of_platform[..size / 8], types[..]);
    for wanted in [
        cl::CL_SVM_TYPE_MACRO_COARSE_GRAIN_BUFFER_KHR,
        cl::CL_SVM_TYPE_MACRO_FINE_GRAIN_BUFFER_KHR,
        cl::CL_SVM_TYPE_MACRO_DEVICE_KHR,
        cl::CL_SVM_TYPE_MACRO_HOST_KHR,
        cl::CL_SVM_TYPE_MACRO_SINGLE_DEVICE_SHARED_KHR,
        cl::CL_SVM_TYPE_MACRO_SYSTEM_KHR,
    ] {
        assert!(types.iter().any(|has| has & wanted == wanted), "{wanted:#x}");
    }
}

#[test]
fn errors_of_allocations_frees_and_queries() {
    let setup = Setup::new();
    let other = Setup::new();
    let count = types(&setup).len() as u32;
    let largest = setup.device_number::<u64>(cl::CL_DEVICE_MAX_MEM_ALLOC_SIZE) as usize;
    let device = setup.device.expose_provenance() as u64;
    let no_device = setup.context.expose_provenance() as u64;
    let owned = (0..count).find(|index| types(&setup)[*index as usize] & cl::CL_SVM_CAPABILITY_DEVICE_OWNED_KHR != 0);
    let owned = owned.expect("a type that a device owns");
    let code = |list: &[u64], index, size| match try_allocate(&setup, list.as_ptr(), index, size) {
        Ok(pointer) => free(&setup, pointer),
        Err(code) => code,
    };
    table! {
        "no properties" => CL_SUCCESS, code(&[0], 0, 100);
        "all properties" => CL_SUCCESS, code(&[DEVICE, device, ACCESS, 0x303, ALIGNMENT, 64, 0], owned, 100);
        "the default alignment" => CL_SUCCESS, code(&[ALIGNMENT, 0, 0], 0, 100);
        "no type" => CL_INVALID_VALUE, code(&[0], count, 100);
        "no type at all" => CL_INVALID_VALUE, code(&[0], u32::MAX, 100);
        "an unknown property" => CL_INVALID_PROPERTY, code(&[ALIGNMENT + 1, 0, 0], 0, 100);
        "a property twice" => CL_INVALID_PROPERTY, code(&[ALIGNMENT, 8, ALIGNMENT, 8, 0], 0, 100);
        "an unknown access" => CL_INVALID_PROPERTY, code(&[ACCESS, 4, 0], 0, 100);
        "an alignment of 3" => CL_INVALID_PROPERTY, code(&[ALIGNMENT, 3, 0], 0, 100);
        "an alignment beyond the largest type" => CL_INVALID_PROPERTY, code(&[ALIGNMENT, 256, 0], 0, 100);
        "what is no device" => CL_INVALID_DEVICE, code(&[DEVICE, no_device, 0], 0, 100);
        "no device where there must be one" => CL_INVALID_DEVICE, code(&[0], owned, 100);
        "no bytes" => CL_INVALID_BUFFER_SIZE, code(&[0], 0, 0);
        "more than a device allows" => CL_INVALID_BUFFER_SIZE, code(&[0], 0, largest + 1);
    }
    let pointer = allocate(&setup, 0, 64);
    let (mut place, mut code_ret) = ([0u64; 2], 1);
    let memory: *mut c_void = place.as_mut_ptr().cast();
    extension!(clSVMAllocWithPropertiesKHR(null_mut(), null(), 0, 64, &mut code_ret));
    assert_eq!(code_ret, cl::CL_INVALID_CONTEXT);
    let query = |context, device, name, size| {
        extension!(clGetSVMPointerInfoKHR(context, device, pointer, name, size, memory, null_mut()))
    };
    let suggest = |context, required, desired, list: &[u64], size, index| {
        extension!(clGetSVMSuggestedTypeIndexKHR(context, required, desired, list.as_ptr(), size, index))
    };
    let free_with = |context, list: &[u64], flags, pointer| {
        extension!(clSVMFreeWithPropertiesKHR(context, list.as_ptr(), flags, pointer))
    };
    let mut index = 0;
    let i: *mut u32 = &mut index;
    let c = setup.context;
    let size = cl::CL_SVM_INFO_SIZE_KHR;
    table! {
        "query, no context" => CL_INVALID_CONTEXT, query(null_mut(), null_mut(), size, 16);
        "query, no device" => CL_INVALID_DEVICE, query(c, c.cast(), size, 16);
        "query that does not exist" => CL_INVALID_VALUE, query(c, null_mut(), 0x2087, 16);
        "query, too small" => CL_INVALID_VALUE, query(c, null_mut(), size, 7);
        "query" => CL_SUCCESS, query(c, setup.device, size, 8);
        "suggestion, no context" => CL_INVALID_CONTEXT, suggest(null_mut(), 0, 0, &[0], 0, i);
        "suggestion, unknown property" => CL_INVALID_PROPERTY, suggest(c, 0, 0, &[1, 1, 0], 0, i);
        "suggestion, no device" => CL_INVALID_DEVICE, suggest(c, 0, 0, &[DEVICE, no_device, 0], 0, i);
        "suggestion, unknown requirement" => CL_INVALID_VALUE, suggest(c, 1 << 15, 0, &[0], 0, i);
        "suggestion, unknown desire" => CL_INVALID_VALUE, suggest(c, 0, 1 << 63, &[0], 0, i);
        "suggestion, too large" => CL_INVALID_BUFFER_SIZE, suggest(c, 0, 0, &[0], largest + 1, i);
        "suggestion without a place" => CL_INVALID_VALUE, suggest(c, 0, 0, &[0], 0, null_mut());
        "suggestion" => CL_SUCCESS, suggest(c, 0, 0, &[0], 0, i);
        "free, no context" => CL_INVALID_CONTEXT, free_with(null_mut(), &[0], 0, pointer);
        "free with a property" => CL_INVALID_PROPERTY, free_with(c, &[1, 1, 0], 0, pointer);
        "free with a flag" => CL_INVALID_VALUE, free_with(c, &[0], 1, pointer);
        "free in another context" => CL_INVALID_VALUE, free_with(other.context, &[0], 0, pointer);
        "free an inner address" => CL_INVALID_VALUE, free_with(c, &[0], 0, pointer.wrapping_byte_add(1));
        "free other memory" => CL_INVALID_VALUE, free_with(c, &[0], 0, memory);
        "free null" => CL_SUCCESS, free_with(c, &[0], 0, null_mut());
        "free" => CL_SUCCESS, free_with(c, &[0], 0, pointer);
        "free twice" => CL_INVALID_VALUE, free_with(c, &[0], 0, pointer);
    }
}

#[test]
fn queries_know_every_pointer_of_the_context() {
    let setup = Setup::new();
    let device = setup.device.expose_provenance() as u64;
    for (index, capabilities) in types(&setup).into_iter().enumerate() {
        let list = [ACCESS, cl::CL_SVM_ALLOC_ACCESS_HOST_NOWRITE_KHR, DEVICE, device, ALIGNMENT, 32, 0];
        let pointer = try_allocate(&setup, list.as_ptr(), index as u32, 1000).unwrap();
        assert_eq!(pointer.addr() % 32, 0);
        for offset in [0, 500, 999] {
            let inside = pointer.wrapping_byte_add(offset).cast_const();
            assert_eq!(type_of(&setup, inside), index as u32);
            assert_eq!(number(&setup, inside, cl::CL_SVM_INFO_CAPABILITIES_KHR), capabilities);
            assert_eq!(number(&setup, inside, cl::CL_SVM_INFO_ACCESS_FLAGS_KHR), list[1]);
            assert_eq!(number(&setup, inside, cl::CL_SVM_INFO_BASE_PTR_KHR), pointer.addr() as u64);
            assert_eq!(number(&setup, inside, cl::CL_SVM_INFO_SIZE_KHR), 1000);
            assert_eq!(number(&setup, inside, cl::CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR), device);
            let properties: Vec<u8> = list.into_iter().flat_map(u64::to_ne_bytes).collect();
            assert_eq!(info(&setup, null_mut(), inside, cl::CL_SVM_INFO_PROPERTIES_KHR), properties);
        }
        assert_eq!(free(&setup, pointer), cl::CL_SUCCESS);
        assert_unknown(&setup, pointer);
    }
    assert_unknown(&setup, null());
    assert_unknown(&setup, at(&device));
    // What other functions made is of a type, too.
    let capabilities = |pointer: *mut c_void| number(&setup, pointer, cl::CL_SVM_INFO_CAPABILITIES_KHR);
    let has = |pointer, wanted: u64| assert_eq!(capabilities(pointer) & wanted, wanted, "{wanted:#x}");
    let coarse = call!(clSVMAlloc(setup.context, 0, 64, 0));
    let fine = call!(clSVMAlloc(setup.context, cl::CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, 0));
    has(coarse, cl::CL_SVM_TYPE_MACRO_COARSE_GRAIN_BUFFER_KHR);
    has(fine, cl::CL_SVM_TYPE_MACRO_FINE_GRAIN_BUFFER_KHR);
    let owned = usm::KINDS.map(|kind| usm::allocate(&setup, kind, 64));
    has(owned[0], cl::CL_SVM_TYPE_MACRO_HOST_KHR);
    has(owned[1], cl::CL_SVM_TYPE_MACRO_DEVICE_KHR);
    has(owned[2], cl::CL_SVM_TYPE_MACRO_SINGLE_DEVICE_SHARED_KHR);
    for pointer in owned {
        assert_eq!(free(&setup, pointer), cl::CL_INVALID_VALUE, "it has a function of its own");
        usm::free(&setup, pointer);
    }
    assert_eq!(free(&setup, coarse), cl::CL_SUCCESS);
    assert_eq!(free(&setup, fine), cl::CL_SUCCESS);
    assert_unknown(&setup, coarse);
}

fn assert_unknown(setup: &Setup, pointer: *const c_void) {
    assert_eq!(type_of(setup, pointer), u32::MAX);
    for name in [
        cl::CL_SVM_INFO_CAPABILITIES_KHR,
        cl::CL_SVM_INFO_ACCESS_FLAGS_KHR,
        cl::CL_SVM_INFO_BASE_PTR_KHR,
        cl::CL_SVM_INFO_SIZE_KHR,
        cl::CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR,
    ] {
        assert_eq!(number(setup, pointer, name), 0, "{name:#x}");
    }
    assert!(info(setup, null_mut(), pointer, cl::CL_SVM_INFO_PROPERTIES_KHR).is_empty());
}

#[test]
fn a_suggested_type_has_what_is_required_and_most_of_what_is_desired() {
    let setup = Setup::new();
    let types = types(&setup);
    let named = [DEVICE, setup.device.expose_provenance() as u64, 0];
    let suggest = |required, desired, list: *const u64| {
        let mut index = 77;
        let place = &mut index;
        let context = setup.context;
        let code = extension!(clGetSVMSuggestedTypeIndexKHR(context, required, desired, list, 100, place));
        assert_eq!(code, cl::CL_SUCCESS);
        index
    };
    for (index, &capabilities) in types.iter().enumerate() {
        for list in [null(), named.as_ptr()] {
            let found = suggest(capabilities, 0, list);
            assert_eq!(types[found as usize] & capabilities, capabilities);
            // Of all types, the one that is desired as a whole has most of it.
            let found = types[suggest(0, capabilities, named.as_ptr()) as usize];
            assert_eq!((found & capabilities).count_ones(), capabilities.count_ones(), "type {index}");
        }
        let free = capabilities & cl::CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR != 0;
        let anyhow = types[suggest(0, capabilities, null()) as usize];
        assert!(free || anyhow & cl::CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR != 0, "it can be allocated as asked");
    }
    let contradiction = cl::CL_SVM_CAPABILITY_DEVICE_OWNED_KHR | cl::CL_SVM_CAPABILITY_HOST_OWNED_KHR;
    assert_eq!(suggest(contradiction, 0, null()), u32::MAX);
}

#[test]
fn every_type_is_copied_filled_mapped_and_freed_as_shared_memory() {
    let setup = Setup::new();
    let q = setup.queue;
    for index in 0..types(&setup).len() as u32 {
        let pointer = allocate(&setup, index, 1024);
        let (source, mut back) = ([7u8; 1024], [0u8; 1024]);
        ok!(clEnqueueSVMMemcpy(q, 1, pointer, at(&source), 1024, 0, null(), null_mut()));
        ok!(clEnqueueSVMMemFill(q, pointer, at(&[1u8]), 1, 512, 0, null(), null_mut()));
        ok!(clEnqueueSVMMap(q, 1, cl::CL_MAP_READ, pointer, 1024, 0, null(), null_mut()));
        ok!(clEnqueueSVMUnmap(q, pointer, 0, null(), null_mut()));
        ok!(clEnqueueSVMMemcpy(q, 1, back.as_mut_ptr().cast(), pointer, 1024, 0, null(), null_mut()));
        assert!(back[..512].iter().all(|byte| *byte == 1) && back[512..].iter().all(|byte| *byte == 7));
        let buffer = create!(clCreateBuffer(setup.context, cl::CL_MEM_USE_HOST_PTR, 1024, pointer));
        assert_eq!(mem_info::<u32>(buffer, cl::CL_MEM_USES_SVM_POINTER), cl::CL_TRUE);
        assert_eq!(setup.read(buffer), back);
        release(buffer);
        let mut pointers = [pointer];
        ok!(clEnqueueSVMFree(q, 1, pointers.as_mut_ptr(), None, null_mut(), 0, null(), null_mut()));
        setup.finish();
        assert_unknown(&setup, pointer);
        let pointer = allocate(&setup, index, 64);
        call!(clSVMFree(setup.context, pointer));
        assert_unknown(&setup, pointer);
    }
}

#[test]
fn kernels_reach_every_type_that_is_allowed_as_a_whole_or_named() {
    const SOURCE: &str = "kernel void follow(global ulong *table) {
        ((global int *)table[0])[get_global_id(0)] += 1; }";
    let setup = Setup::new();
    let module = compile(SOURCE, Level::Plain).expect("clang compiles it");
    let program = create!(clCreateProgramWithIL(setup.context, module.as_ptr().cast(), module.len()));
    ok!(clBuildProgram(program, 0, null(), null(), None, null_mut()));
    let kernel = create!(clCreateKernel(program, c"follow".as_ptr()));
    let strict = std::env::var_os("OXICL_DEVICE").is_some_and(|device| device == "reference");
    let run = || {
        let mut event = null_mut();
        ok!(clEnqueueNDRangeKernel(setup.queue, kernel, 1, null(), &16, null(), 0, null(), &mut event));
        let code = call!(clWaitForEvents(1, &event));
        ok!(clReleaseEvent(event));
        code == cl::CL_SUCCESS
    };
    let indirect = |wanted: u32| {
        call!(clSetKernelExecInfo(kernel, cl::CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR, 4, at(&wanted)))
    };
    let named = |size, pointers| call!(clSetKernelExecInfo(kernel, cl::CL_KERNEL_EXEC_INFO_SVM_PTRS, size, pointers));
    let wide = u64::MAX;
    let wrong = call!(clSetKernelExecInfo(kernel, cl::CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR, 8, at(&wide)));
    assert_eq!(wrong, cl::CL_INVALID_VALUE);
    for index in 0..types(&setup).len() as u32 {
        let (table, target) = (allocate(&setup, index, 8), allocate(&setup, index, 64));
        let address = target.expose_provenance() as u64;
        ok!(clEnqueueSVMMemcpy(setup.queue, 1, table, at(&address), 8, 0, null(), null_mut()));
        ok!(clSetKernelArgSVMPointer(kernel, 0, table));
        if strict {
            assert!(!run(), "type {index}: neither allowed nor named");
        }
        assert_eq!(indirect(cl::CL_TRUE), cl::CL_SUCCESS);
        assert!(run());
        assert_eq!(indirect(cl::CL_FALSE), cl::CL_SUCCESS);
        assert_eq!(named(8, at(&target.wrapping_byte_add(4))), cl::CL_SUCCESS);
        assert!(run());
        assert_eq!(named(0, null_mut()), cl::CL_SUCCESS);
        let mut back = [0i32; 16];
        ok!(clEnqueueSVMMemcpy(setup.queue, 1, back.as_mut_ptr().cast(), target, 64, 0, null(), null_mut()));
        assert_eq!(back, [2; 16]);
        assert_eq!(free(&setup, table), cl::CL_SUCCESS);
        assert_eq!(free(&setup, target), cl::CL_SUCCESS);
    }
    ok!(clReleaseKernel(kernel));
    ok!(clReleaseProgram(program));
}
