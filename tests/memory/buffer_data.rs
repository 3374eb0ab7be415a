//! What commands on linear regions do to data, held against a model on the host.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use khronos_headers as cl;

use crate::support::{Random, Setup, at, call, create, mem_address, mem_info, ok, release, release_all};

/// Sizes around everything that an implementation may have a threshold at.
const SIZES: &[usize] = &[1, 3, 127, 129, 4095, 4097, 16_383, 16_385, 65_537, 300_001, 5 << 20];

#[test]
fn commands_of_any_size_and_offset_do_what_the_model_does() {
    let setup = Setup::new();
    let mut random = Random::new(11);
    for &size in SIZES {
        let mut model = [random.bytes(size), random.bytes(size)];
        let buffers = [setup.filled(&model[0]), setup.filled(&model[1])];
        for _ in 0..20 {
            let which = random.below(2);
            let offset = random.below(size);
            let count = random.below(size - offset) + 1;
            match random.below(4) {
                0 => {
                    let data = random.bytes(count);
                    let pointer = data.as_ptr().cast();
                    ok!(clEnqueueWriteBuffer(
                        setup.queue,
                        buffers[which],
                        cl::CL_TRUE,
                        offset,
                        count,
                        pointer,
                        0,
                        null(),
                        null_mut()
                    ));
                    model[which][offset..offset + count].copy_from_slice(&data);
                }
                1 => {
                    let mut data = vec![0u8; count];
                    let pointer = data.as_mut_ptr().cast();
                    ok!(clEnqueueReadBuffer(
                        setup.queue,
                        buffers[which],
                        cl::CL_TRUE,
                        offset,
                        count,
                        pointer,
                        0,
                        null(),
                        null_mut()
                    ));
                    assert!(data == model[which][offset..offset + count], "read {offset} {count} of {size}");
                }
                2 => {
                    let to_offset = random.below(size - count + 1);
                    ok!(clEnqueueCopyBuffer(
                        setup.queue,
                        buffers[which],
                        buffers[1 - which],
                        offset,
                        to_offset,
                        count,
                        0,
                        null(),
                        null_mut()
                    ));
                    let data = model[which][offset..offset + count].to_vec();
                    model[1 - which][to_offset..to_offset + count].copy_from_slice(&data);
                }
                _ => {
                    let pattern = random_pattern(&mut random);
                    let offset = offset / pattern.len() * pattern.len();
                    let count = count.min(size - offset) / pattern.len() * pattern.len();
                    ok!(clEnqueueFillBuffer(
                        setup.queue,
                        buffers[which],
                        pattern.as_ptr().cast(),
                        pattern.len(),
                        offset,
                        count,
                        0,
                        null(),
                        null_mut()
                    ));
                    for (place, &byte) in model[which][offset..offset + count].iter_mut().zip(pattern.iter().cycle()) {
                        *place = byte;
                    }
                }
            }
        }
        for (buffer, model) in buffers.into_iter().zip(&model) {
            assert!(setup.read(buffer) == *model, "size {size}");
            release(buffer);
        }
    }
}

fn random_pattern(random: &mut Random) -> Vec<u8> {
    let size = 1 << random.below(8);
    random.bytes(size)
}

#[test]
fn nothing_is_a_size_too() {
    let setup = Setup::new();
    let buffer = setup.filled(&[1, 2, 3]);
    let mut byte = 9u8;
    let pointer: *mut c_void = (&raw mut byte).cast();
    ok!(clEnqueueReadBuffer(setup.queue, buffer, cl::CL_TRUE, 3, 0, pointer, 0, null(), null_mut()));
    ok!(clEnqueueWriteBuffer(setup.queue, buffer, cl::CL_TRUE, 0, 0, pointer, 0, null(), null_mut()));
    ok!(clEnqueueFillBuffer(setup.queue, buffer, pointer, 1, 1, 0, 0, null(), null_mut()));
    assert_eq!(setup.read(buffer), [1, 2, 3]);
    assert_eq!(byte, 9);
    release(buffer);
}

#[test]
fn the_pattern_and_the_source_of_a_copy_host_pointer_may_be_reused_at_once() {
    let setup = Setup::new();
    let gate = create!(clCreateUserEvent(setup.context));
    let mut bytes = [1u8, 2, 3, 4];
    let buffer = setup.filled(&bytes);
    let mut pattern = [7u8, 8];
    let queue = setup.queue;
    ok!(clEnqueueFillBuffer(queue, buffer, pattern.as_ptr().cast(), 2, 2, 2, 1, &gate, null_mut()));
    bytes.fill(0);
    pattern.fill(0);
    assert_eq!((bytes, pattern), ([0; 4], [0; 2]));
    ok!(clSetUserEventStatus(gate, cl::CL_COMPLETE));
    assert_eq!(setup.read(buffer), [1, 2, 7, 8]);
    ok!(clReleaseEvent(gate));
    release(buffer);
}

#[test]
fn a_buffer_on_host_memory_is_that_memory() {
    let setup = Setup::new();
    let mut bytes: Vec<u8> = (0..200).collect();
    // No alignment whatsoever.
    let pointer: *mut c_void = bytes[3..].as_mut_ptr().cast();
    let buffer = create!(clCreateBuffer(setup.context, cl::CL_MEM_USE_HOST_PTR, 100, pointer));
    assert_eq!(mem_address(buffer, cl::CL_MEM_HOST_PTR), pointer.addr());
    let one = [0x55u8];
    ok!(clEnqueueFillBuffer(setup.queue, buffer, at(&one), 1, 10, 5, 0, null(), null_mut()));
    let mapped =
        create!(clEnqueueMapBuffer(setup.queue, buffer, cl::CL_TRUE, cl::CL_MAP_READ, 7, 20, 0, null(), null_mut()));
    assert_eq!(mapped.addr(), pointer.addr() + 7, "the mapped pointer is derived from the host pointer");
    ok!(clEnqueueUnmapMemObject(setup.queue, buffer, mapped, 0, null(), null_mut()));
    setup.finish();
    assert_eq!(bytes[12..20], [12, 0x55, 0x55, 0x55, 0x55, 0x55, 18, 19]);
    release(buffer);
}

#[test]
fn a_buffer_with_a_copy_of_host_memory_is_separate() {
    let setup = Setup::new();
    let mut bytes = vec![5u8; 1000];
    let flags = cl::CL_MEM_COPY_HOST_PTR | cl::CL_MEM_ALLOC_HOST_PTR;
    let buffer = create!(clCreateBuffer(setup.context, flags, 1000, bytes.as_mut_ptr().cast()));
    bytes.fill(6);
    assert_eq!(mem_address(buffer, cl::CL_MEM_HOST_PTR), 0);
    assert!(setup.read(buffer).iter().all(|&byte| byte == 5));
    assert!(bytes.iter().all(|&byte| byte == 6));
    release(buffer);
}

#[test]
fn a_sub_buffer_is_part_of_its_buffer() {
    let setup = Setup::new();
    let align = setup.device_number::<u32>(cl::CL_DEVICE_MEM_BASE_ADDR_ALIGN) as usize / 8;
    let buffer = setup.filled(&vec![1; 4 * align]);
    let part = setup.part(buffer, cl::CL_MEM_READ_ONLY, align, align + 3);
    assert_eq!(mem_info::<usize>(part, cl::CL_MEM_SIZE), align + 3);
    assert_eq!(mem_info::<usize>(part, cl::CL_MEM_OFFSET), align);
    assert_eq!(mem_info::<usize>(buffer, cl::CL_MEM_OFFSET), 0);
    assert_eq!(mem_address(part, cl::CL_MEM_ASSOCIATED_MEMOBJECT), buffer.addr());
    assert_eq!(mem_address(buffer, cl::CL_MEM_ASSOCIATED_MEMOBJECT), 0);
    assert_eq!(mem_address(part, cl::CL_MEM_CONTEXT), setup.context.addr());
    let flags = mem_info::<cl::cl_mem_flags>(part, cl::CL_MEM_FLAGS);
    assert_eq!(flags, cl::CL_MEM_READ_ONLY | cl::CL_MEM_COPY_HOST_PTR);
    let two = [2u8];
    ok!(clEnqueueFillBuffer(setup.queue, part, at(&two), 1, 2, align + 1, 0, null(), null_mut()));
    let mut expected = vec![1; 4 * align];
    expected[align + 2..2 * align + 3].fill(2);
    assert_eq!(setup.read(buffer), expected);
    // The part keeps the whole alive.
    release(buffer);
    assert_eq!(setup.read(part), expected[align..2 * align + 3]);
    release(part);
}

#[test]
fn a_sub_buffer_of_host_memory_has_its_part_of_the_pointer() {
    let setup = Setup::new();
    let align = setup.device_number::<u32>(cl::CL_DEVICE_MEM_BASE_ADDR_ALIGN) as usize / 8;
    let mut bytes = vec![0u8; 3 * align];
    let pointer: *mut c_void = bytes.as_mut_ptr().cast();
    let buffer = create!(clCreateBuffer(setup.context, cl::CL_MEM_USE_HOST_PTR, bytes.len(), pointer));
    let part = setup.part(buffer, 0, 2 * align, align);
    assert_eq!(mem_address(part, cl::CL_MEM_HOST_PTR), pointer.addr() + 2 * align);
    release_all(&[part, buffer]);
}

#[test]
fn queries_of_a_buffer_answer_what_it_was_made_with() {
    let setup = Setup::new();
    let flags = cl::CL_MEM_READ_ONLY | cl::CL_MEM_HOST_NO_ACCESS;
    let buffer = setup.buffer(flags, 77);
    assert_eq!(mem_info::<u32>(buffer, cl::CL_MEM_TYPE), cl::CL_MEM_OBJECT_BUFFER);
    assert_eq!(mem_info::<u64>(buffer, cl::CL_MEM_FLAGS), flags);
    assert_eq!(mem_info::<usize>(buffer, cl::CL_MEM_SIZE), 77);
    assert_eq!(mem_info::<u32>(buffer, cl::CL_MEM_MAP_COUNT), 0);
    assert_eq!(mem_info::<u32>(buffer, cl::CL_MEM_REFERENCE_COUNT), 1);
    assert_eq!(mem_info::<u32>(buffer, cl::CL_MEM_USES_SVM_POINTER), cl::CL_FALSE);
    ok!(clRetainMemObject(buffer));
    assert_eq!(mem_info::<u32>(buffer, cl::CL_MEM_REFERENCE_COUNT), 2);
    release(buffer);
    assert_eq!(mem_info::<u32>(buffer, cl::CL_MEM_REFERENCE_COUNT), 1);
    release(buffer);
}

#[test]
fn queries_of_properties_tell_no_list_from_an_empty_one() {
    let setup = Setup::new();
    let empty = [0u64];
    for (list, size) in [(null(), 0), (empty.as_ptr(), 8)] {
        let buffer = create!(clCreateBufferWithProperties(setup.context, list, 0, 16, null_mut()));
        let mut actual = 99;
        let mut words = [1u64; 2];
        ok!(clGetMemObjectInfo(buffer, cl::CL_MEM_PROPERTIES, 16, (&raw mut words).cast(), &mut actual));
        assert_eq!(actual, size);
        assert_eq!(words[0], if size == 0 { 1 } else { 0 });
        release(buffer);
    }
}

#[test]
fn a_released_buffer_lives_until_its_commands_are_done() {
    let setup = Setup::new();
    let gate = create!(clCreateUserEvent(setup.context));
    let buffer = setup.filled(&[3; 100_000]);
    let mut bytes = vec![0u8; 100_000];
    let pointer: *mut c_void = bytes.as_mut_ptr().cast();
    ok!(clEnqueueReadBuffer(setup.queue, buffer, cl::CL_FALSE, 0, bytes.len(), pointer, 1, &gate, null_mut()));
    release(buffer);
    ok!(clSetUserEventStatus(gate, cl::CL_COMPLETE));
    setup.finish();
    assert!(bytes.iter().all(|&byte| byte == 3));
    ok!(clReleaseEvent(gate));
}

#[test]
fn an_event_names_its_command() {
    let setup = Setup::new();
    let buffer = setup.filled(&[0; 64]);
    let bytes = [0u8; 64];
    let mut event = null_mut();
    ok!(clEnqueueWriteBuffer(setup.queue, buffer, cl::CL_FALSE, 0, 64, at(&bytes), 0, null(), &mut event));
    let mut kind = 0u32;
    ok!(clGetEventInfo(event, cl::CL_EVENT_COMMAND_TYPE, 4, (&raw mut kind).cast(), null_mut()));
    assert_eq!(kind, cl::CL_COMMAND_WRITE_BUFFER);
    ok!(clWaitForEvents(1, &event));
    ok!(clReleaseEvent(event));
    release(buffer);
}

#[test]
fn commands_between_queues_follow_their_events() {
    let setup = Setup::new();
    let second = setup.out_of_order();
    let size = 1 << 20;
    let (a, b) = (setup.filled(&vec![0; size]), setup.filled(&vec![0; size]));
    for round in 1..=20u8 {
        let (mut filled, mut copied) = (null_mut(), null_mut());
        let mut bytes = vec![0u8; size];
        let pointer: *mut c_void = bytes.as_mut_ptr().cast();
        ok!(clEnqueueFillBuffer(setup.queue, a, at(&round), 1, 0, size, 0, null(), &mut filled));
        ok!(clEnqueueCopyBuffer(second, a, b, 0, 0, size, 1, &filled, &mut copied));
        ok!(clEnqueueReadBuffer(setup.queue, b, cl::CL_TRUE, 0, size, pointer, 1, &copied, null_mut()));
        assert!(bytes.iter().all(|&byte| byte == round), "round {round}");
        ok!(clReleaseEvent(filled));
        ok!(clReleaseEvent(copied));
    }
    ok!(clReleaseCommandQueue(second));
    release_all(&[a, b]);
}

#[test]
fn a_blocking_command_behind_a_failed_event_says_so() {
    let setup = Setup::new();
    let buffer = setup.filled(&[1; 16]);
    let failed = create!(clCreateUserEvent(setup.context));
    ok!(clSetUserEventStatus(failed, -5));
    let mut bytes = [9u8; 16];
    let pointer: *mut c_void = (&raw mut bytes).cast();
    let code = call!(clEnqueueReadBuffer(setup.queue, buffer, cl::CL_TRUE, 0, 16, pointer, 1, &failed, null_mut()));
    assert_eq!(code, cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_eq!(bytes, [9; 16], "a command that was not executed must not have effects");
    ok!(clReleaseEvent(failed));
    release(buffer);
}

/// The order in which the callbacks below were called.
static ORDER: AtomicU32 = AtomicU32::new(0);

unsafe extern "C-unwind" fn note(_memory: cl::cl_mem, digit: *mut c_void) {
    let append = |order| Some(order * 10 + digit.addr() as u32);
    let _ = ORDER.fetch_update(Ordering::AcqRel, Ordering::Acquire, append);
}

#[test]
fn destructor_callbacks_run_last_one_first_when_the_object_is_gone() {
    let setup = Setup::new();
    let align = setup.device_number::<u32>(cl::CL_DEVICE_MEM_BASE_ADDR_ALIGN) as usize / 8;
    let buffer = setup.buffer(0, 2 * align);
    for digit in 1..=3usize {
        ok!(clSetMemObjectDestructorCallback(buffer, Some(note), std::ptr::without_provenance_mut(digit)));
    }
    let part = setup.part(buffer, 0, align, align);
    release(buffer);
    setup.finish();
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(ORDER.load(Ordering::Acquire), 0, "the sub-buffer keeps the buffer");
    release(part);
    let start = Instant::now();
    while ORDER.load(Ordering::Acquire) != 321 && start.elapsed() < Duration::from_secs(10) {
        std::thread::yield_now();
    }
    assert_eq!(ORDER.load(Ordering::Acquire), 321);
}
