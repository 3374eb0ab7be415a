//! Many command buffers, of several threads, recorded, enqueued, updated and released again and again.

use std::ptr::null_mut;

use khronos_headers as cl;

use crate::recording::{Kernels, Recording, argument, numbers, with_arguments, zeros};
use oxicl_tests::resident;

use crate::support::{Setup, extension, ok, release_all};

/// Records, enqueues twice to two queues with an update between, checks, releases.
fn cycle(setup: &Setup, kernels: &Kernels, number: i32) {
    let (data, copy) = (zeros(setup, 300), zeros(setup, 300));
    let step = kernels.step(data, 1, number);
    let recording = Recording::mutable(setup.queue);
    let command = recording.handle(step, &[], &[300], None);
    recording.copy(data, copy, 1200, &[]);
    recording.barrier(&[]);
    recording.launch(step, 300, &[]);
    recording.finalize();
    let first = recording.enqueue_to(setup.queue, &[]);
    assert_eq!(recording.update(&[with_arguments(command, &[argument(1, &2i32)])]), cl::CL_SUCCESS);
    let second = recording.enqueue_to(setup.queue, &[first]);
    drop(recording);
    ok!(clReleaseKernel(step));
    assert_eq!(numbers(setup, copy), [5 * number; 300]);
    assert_eq!(numbers(setup, data), [6 * number; 300]);
    for event in [first, second] {
        ok!(clReleaseEvent(event));
    }
    release_all(&[data, copy]);
}

#[test]
fn cycles_on_several_threads_leave_memory_flat() {
    const THREADS: i32 = 4;
    let rounds = if oxicl_tests::is_reference() { 20 } else { 400 };
    let run = |rounds: i32| {
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                scope.spawn(move || {
                    let setup = Setup::new();
                    let kernels = Kernels::new(&setup);
                    for round in 0..rounds {
                        cycle(&setup, &kernels, 1 + thread + round);
                    }
                });
            }
        });
    };
    run(rounds);
    let before = resident().expect("/proc/self/statm");
    run(rounds);
    let grown = resident().expect("/proc/self/statm").saturating_sub(before);
    // A command buffer that stayed behind would keep 2.4 kB of buffers and its commands, 1600 times.
    assert!(grown < 4 << 20, "{grown} bytes more after {} cycles", THREADS * rounds);
}

/// One command buffer whose executions overlap: each adds to its own elements of the same buffer.
#[test]
fn a_command_buffer_runs_many_times_at_once() {
    let setup = Setup::new();
    let queue = setup.out_of_order();
    let kernels = Kernels::new(&setup);
    let (data, copies) = (zeros(&setup, 4000), zeros(&setup, 4000));
    let step = kernels.step(data, 0, 9);
    let recording = Recording::mutable(queue);
    let point = recording.launch(step, 4000, &[]);
    recording.copy(data, copies, 16_000, &[point]);
    recording.finalize();
    let events: Vec<cl::cl_event> = (0..200).map(|_| recording.enqueue_to(queue, &[])).collect();
    ok!(clWaitForEvents(200, events.as_ptr()));
    assert_eq!(numbers(&setup, copies), [9; 4000]);
    for event in events {
        ok!(clReleaseEvent(event));
    }
    // And from several threads, each to a queue of its own.
    let (handle, context, device) = (recording.handle.addr(), setup.context.addr(), setup.device.addr());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(move || {
                let [handle, context, device] =
                    [handle, context, device].map(std::ptr::with_exposed_provenance_mut::<u8>);
                let mut queue = crate::support::create!(clCreateCommandQueueWithProperties(
                    context.cast(),
                    device.cast(),
                    std::ptr::null()
                ));
                for _ in 0..50 {
                    let none = std::ptr::null();
                    let code = extension!(clEnqueueCommandBufferKHR(1, &mut queue, handle.cast(), 0, none, null_mut()));
                    assert_eq!(code, cl::CL_SUCCESS);
                }
                ok!(clFinish(queue));
                ok!(clReleaseCommandQueue(queue));
            });
        }
    });
    assert_eq!(numbers(&setup, copies), [9; 4000]);
    ok!(clReleaseKernel(step));
    ok!(clReleaseCommandQueue(queue));
    release_all(&[data, copies]);
}
