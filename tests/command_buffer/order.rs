//! In which order recorded commands run.

use khronos_headers as cl;

use crate::recording::{Kernels, Recording, numbers, zeros};
use crate::support::{Random, Setup, ok, release_all};

/// The recorded order of a queue that is in order is kept without any list.
#[test]
fn in_order_commands_run_one_after_the_other() {
    let setup = Setup::new();
    let kernels = Kernels::new(&setup);
    let data = zeros(&setup, 512);
    let recording = Recording::new(setup.queue);
    let mut expected = 0i32;
    for number in 0..100 {
        let step = kernels.step(data, 3, number);
        recording.launch(step, 512, &[]);
        expected = expected.wrapping_mul(3).wrapping_add(number);
        ok!(clReleaseKernel(step));
    }
    recording.finalize();
    recording.enqueue();
    assert_eq!(numbers(&setup, data), [expected; 512]);
    release_all(&[data]);
}

#[test]
fn out_of_order_commands_run_after_the_points_that_they_wait_for() {
    let setup = Setup::new();
    let queue = setup.out_of_order();
    let kernels = Kernels::new(&setup);
    let count = 20_000;
    let data = zeros(&setup, count);
    let recording = Recording::new(queue);
    // Alternately launches that take a while and fills that take none: order kept by chance would show.
    let (double, decrement) = (kernels.step(data, 2, 0), kernels.step(data, 1, -1));
    let mut last = recording.fill(data, 5, 4 * count, &[]);
    for kernel in [double, decrement, double, decrement, decrement] {
        last = recording.launch(kernel, count, &[last, last]);
    }
    recording.finalize();
    for _ in 0..3 {
        let event = recording.enqueue_to(queue, &[]);
        ok!(clWaitForEvents(1, &event));
        ok!(clReleaseEvent(event));
        assert_eq!(numbers(&setup, data), vec![16; count]);
    }
    for kernel in [double, decrement] {
        ok!(clReleaseKernel(kernel));
    }
    ok!(clReleaseCommandQueue(queue));
    release_all(&[data]);
}

#[test]
fn a_barrier_waits_for_everything_before_it_and_holds_back_everything_after_it() {
    let setup = Setup::new();
    let queue = setup.out_of_order();
    let kernels = Kernels::new(&setup);
    let buffers: Vec<cl::cl_mem> = (0..6).map(|_| zeros(&setup, 3000)).collect();
    let sum = zeros(&setup, 3000);
    let recording = Recording::new(queue);
    let mut steps = Vec::new();
    for (number, buffer) in (1..).zip(&buffers) {
        steps.push(kernels.step(*buffer, 0, number));
        recording.launch(steps[steps.len() - 1], 3000, &[]);
    }
    recording.barrier(&[]);
    recording.copy(buffers[5], sum, 12_000, &[]);
    let barrier = recording.barrier(&[]);
    steps.push(kernels.step(sum, 10, 1));
    recording.launch(steps[6], 3000, &[barrier]);
    recording.finalize();
    let event = recording.enqueue_to(queue, &[]);
    ok!(clWaitForEvents(1, &event));
    ok!(clReleaseEvent(event));
    assert_eq!(numbers(&setup, sum), [61; 3000]);
    for step in steps {
        ok!(clReleaseKernel(step));
    }
    ok!(clReleaseCommandQueue(queue));
    release_all(&buffers);
    release_all(&[sum]);
}

/// Random graphs: each command writes, into its own place, one more than the largest number of those that it waits for.
#[test]
fn random_graphs_respect_every_edge() {
    let setup = Setup::new();
    let queue = setup.out_of_order();
    let kernels = Kernels::new(&setup);
    let mut random = Random::new(0x5EED_0001);
    for round in 0..10 {
        let nodes = 2 + random.below(30);
        let buffers: Vec<cl::cl_mem> = (0..nodes).map(|_| zeros(&setup, 600)).collect();
        let recording = Recording::new(queue);
        let (mut points, mut expected) = (Vec::new(), Vec::<i32>::new());
        for node in 0..nodes {
            // A copy from one that it waits for, then a launch on what was copied.
            let source = if node == 0 || random.below(4) == 0 { None } else { Some(random.below(node)) };
            let mut waits: Vec<u32> =
                (0..random.below(3)).filter(|_| node > 0).map(|_| points[random.below(node)]).collect();
            let before = match source {
                Some(source) => {
                    waits.push(points[source]);
                    waits = vec![recording.copy(buffers[source], buffers[node], 2400, &waits)];
                    expected[source]
                }
                None => {
                    waits = vec![recording.fill(buffers[node], 0, 2400, &waits)];
                    0
                }
            };
            let step = kernels.step(buffers[node], 1, 1);
            points.push(recording.launch(step, 600, &waits));
            ok!(clReleaseKernel(step));
            expected.push(before + 1);
            if random.below(8) == 0 {
                recording.barrier(&[]);
            }
        }
        recording.finalize();
        let events = [recording.enqueue_to(setup.queue, &[]), recording.enqueue_to(setup.queue, &[])];
        ok!(clWaitForEvents(2, events.as_ptr()));
        for (node, expected) in expected.into_iter().enumerate() {
            assert_eq!(numbers(&setup, buffers[node]), [expected; 600], "round {round}, node {node}");
        }
        for event in events {
            ok!(clReleaseEvent(event));
        }
        release_all(&buffers);
    }
    ok!(clReleaseCommandQueue(queue));
}

#[test]
fn executions_keep_their_place_in_a_queue() {
    let setup = Setup::new();
    let kernels = Kernels::new(&setup);
    let data = zeros(&setup, 256);
    let (double, increment) = (kernels.step(data, 2, 0), kernels.step(data, 1, 1));
    let recording = Recording::new(setup.queue);
    recording.launch(double, 256, &[]);
    recording.finalize();
    // ((0 + 1) * 2 + 1) * 2
    for _ in 0..2 {
        let items = 256usize;
        let (none, events) = (std::ptr::null(), std::ptr::null());
        ok!(clEnqueueNDRangeKernel(setup.queue, increment, 1, none, &items, none, 0, events, std::ptr::null_mut()));
        recording.enqueue();
    }
    assert_eq!(numbers(&setup, data), [6; 256]);
    for kernel in [double, increment] {
        ok!(clReleaseKernel(kernel));
    }
    release_all(&[data]);
}
