//! Command buffers and semaphores; `tests/command_buffer` has the rest of them.

use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::api::answer;
use crate::recording::{Kernels, Recording, argument, numbers, set, with_arguments, zeros};
use crate::support::{Setup, extension, ok, release_all};

#[test]
pub fn recorded_commands_run_each_time() {
    let capabilities = answer::<u64>(cl::CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR)[0];
    assert_ne!(capabilities & cl::CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR, 0);
    assert_eq!(answer::<u64>(cl::CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR), [0]);
    let queues = cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | cl::CL_QUEUE_PROFILING_ENABLE;
    assert_eq!(answer::<u64>(cl::CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR), [queues]);
    let setup = Setup::new();
    let kernels = Kernels::new(&setup);
    let (data, copy) = (zeros(&setup, 64), zeros(&setup, 64));
    let (step, say) = (kernels.step(data, 2, 1), kernels.kernel(c"say"));
    set(say, 0, &17i32);
    // A queue out of order, whose points keep the order, and one in order to run on.
    let queue = setup.out_of_order();
    let recording = Recording::new(queue);
    let point = recording.launch(step, 64, &[]);
    recording.launch(say, 1, &[]);
    recording.copy(data, copy, 256, &[point]);
    recording.barrier(&[]);
    recording.fill(data, 3, 4, &[]);
    recording.finalize();
    for _ in 0..3 {
        let event = recording.enqueue_to(setup.queue, &[]);
        ok!(clReleaseEvent(event));
    }
    assert_eq!((numbers(&setup, data)[..2].to_vec(), numbers(&setup, copy)), (vec![3, 7], vec![7; 64]));
    for kernel in [step, say] {
        ok!(clReleaseKernel(kernel));
    }
    ok!(clReleaseCommandQueue(queue));
    release_all(&[data, copy]);
}

#[test]
pub fn a_recorded_launch_is_changed() {
    let all = cl::CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR
        | cl::CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR
        | cl::CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR
        | cl::CL_MUTABLE_DISPATCH_ARGUMENTS_KHR
        | cl::CL_MUTABLE_DISPATCH_EXEC_INFO_KHR;
    assert_eq!(answer::<u64>(cl::CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR), [all]);
    let capabilities = answer::<u64>(cl::CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR)[0];
    assert_ne!(capabilities & cl::CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR, 0);
    let setup = Setup::new();
    let kernels = Kernels::new(&setup);
    let data = zeros(&setup, 64);
    let step = kernels.step(data, 10, 1);
    let recording = Recording::mutable(setup.queue);
    let command = recording.handle(step, &[cl::CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, all, 0], &[64], None);
    recording.finalize();
    recording.enqueue();
    let (items, summand) = (32usize, [argument(2, &2i32)]);
    let update = cl::cl_mutable_dispatch_config_khr { global_work_size: &items, ..with_arguments(command, &summand) };
    assert_eq!(recording.update(&[update]), cl::CL_SUCCESS);
    recording.enqueue();
    let found = numbers(&setup, data);
    assert_eq!((&found[..32], &found[32..]), (&[12; 32][..], &[1; 32][..]));
    ok!(clReleaseKernel(step));
    release_all(&[data]);
}

#[test]
pub fn a_semaphore_orders_two_queues() {
    assert_eq!(answer::<u32>(cl::CL_DEVICE_SEMAPHORE_TYPES_KHR), [cl::CL_SEMAPHORE_TYPE_BINARY_KHR]);
    let setup = Setup::new();
    let queue = setup.out_of_order();
    let list = [cl::CL_SEMAPHORE_TYPE_KHR as u64, cl::CL_SEMAPHORE_TYPE_BINARY_KHR as u64, 0];
    let mut code = 1;
    let semaphore = extension!(clCreateSemaphoreWithPropertiesKHR(setup.context, list.as_ptr(), &mut code));
    assert_eq!(code, cl::CL_SUCCESS);
    let kernels = Kernels::new(&setup);
    let data = zeros(&setup, 5000);
    let steps = [kernels.step(data, 1, 3), kernels.step(data, 5, 0)];
    let items = 5000usize;
    for _ in 0..3 {
        ok!(clEnqueueNDRangeKernel(setup.queue, steps[0], 1, null(), &items, null(), 0, null(), null_mut()));
        let mut event = null_mut();
        let code = extension!(clEnqueueSignalSemaphoresKHR(setup.queue, 1, &semaphore, null(), 0, null(), null_mut()));
        assert_eq!(code, cl::CL_SUCCESS);
        let code = extension!(clEnqueueWaitSemaphoresKHR(queue, 1, &semaphore, null(), 0, null(), &mut event));
        assert_eq!(code, cl::CL_SUCCESS);
        ok!(clEnqueueNDRangeKernel(queue, steps[1], 1, null(), &items, null(), 1, &event, null_mut()));
        ok!(clReleaseEvent(event));
        ok!(clFinish(queue));
    }
    // ((3 * 5 + 3) * 5 + 3) * 5
    assert_eq!(numbers(&setup, data), [465; 5000]);
    for step in steps {
        ok!(clReleaseKernel(step));
    }
    assert_eq!(extension!(clReleaseSemaphoreKHR(semaphore)), cl::CL_SUCCESS);
    ok!(clReleaseCommandQueue(queue));
    release_all(&[data]);
}
