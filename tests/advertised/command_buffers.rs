//! Command buffers; `tests/command_buffer` has the rest of them.

use khronos_headers as cl;

use crate::api::answer;
use crate::recording::{Kernels, Recording, argument, numbers, set, with_arguments, zeros};
use crate::support::{Setup, ok, release_all};

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
