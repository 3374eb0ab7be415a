//! Recorded launches that are changed afterwards.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::recording::{Kernels, Recording, argument, no_change, numbers, set, with_arguments, zeros};
use crate::support::{Setup, call, create, extension, ok, release_all};

/// A query of a recorded launch, as values.
pub fn info<T: Copy + Default>(command: cl::cl_mutable_command_khr, name: cl::cl_mutable_command_info_khr) -> Vec<T> {
    let mut size = 0;
    let code = extension!(clGetMutableCommandInfoKHR(command, name, 0, null_mut(), &mut size));
    assert_eq!((code, size % size_of::<T>()), (cl::CL_SUCCESS, 0), "{name:#x}");
    let mut values = vec![T::default(); size / size_of::<T>()];
    let code = extension!(clGetMutableCommandInfoKHR(command, name, size, values.as_mut_ptr().cast(), null_mut()));
    assert_eq!(code, cl::CL_SUCCESS, "{name:#x}");
    values
}

#[test]
fn updated_arguments_stay_and_the_kernel_keeps_its_own() {
    let setup = Setup::new();
    let kernels = Kernels::new(&setup);
    let (data, other) = (zeros(&setup, 128), zeros(&setup, 128));
    let step = kernels.step(data, 1, 42);
    let recording = Recording::mutable(setup.queue);
    let command = recording.handle(step, &[], &[128], None);
    recording.finalize();
    assert_eq!(recording.update(&[with_arguments(command, &[argument(2, &5i32)])]), cl::CL_SUCCESS);
    for _ in 0..3 {
        recording.enqueue();
    }
    assert_eq!(numbers(&setup, data), [15; 128]);
    assert_eq!(recording.update(&[with_arguments(command, &[argument(0, &other), argument(1, &10i32)])]), 0);
    recording.enqueue();
    recording.enqueue();
    assert_eq!((numbers(&setup, data), numbers(&setup, other)), (vec![15; 128], vec![55; 128]));
    let items = 128usize;
    ok!(clEnqueueNDRangeKernel(setup.queue, step, 1, null(), &items, null(), 0, null(), null_mut()));
    assert_eq!(numbers(&setup, data), [57; 128]);
    ok!(clReleaseKernel(step));
    release_all(&[data, other]);
}

#[test]
fn arguments_may_be_set_after_the_recording() {
    let setup = Setup::new();
    let kernels = Kernels::new(&setup);
    let data = zeros(&setup, 32);
    let step = kernels.kernel(c"step");
    set(step, 0, &data);
    let recording = Recording::mutable(setup.queue);
    let arguments = cl::CL_MUTABLE_DISPATCH_ARGUMENTS_KHR;
    let list = [cl::CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, arguments, 0];
    let command = recording.handle(step, &list, &[32], None);
    recording.finalize();
    assert_eq!(recording.state(), cl::CL_COMMAND_BUFFER_STATE_FINALIZED_KHR);
    assert_eq!(recording.enqueue_code(), cl::CL_INVALID_OPERATION);
    assert_eq!(recording.update(&[with_arguments(command, &[argument(1, &1i32)])]), cl::CL_SUCCESS);
    assert_eq!(recording.state(), cl::CL_COMMAND_BUFFER_STATE_FINALIZED_KHR);
    assert_eq!(recording.update(&[with_arguments(command, &[argument(2, &9i32)])]), cl::CL_SUCCESS);
    assert_eq!(recording.state(), cl::CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    recording.enqueue();
    assert_eq!(numbers(&setup, data), [9; 32]);
    ok!(clReleaseKernel(step));
    release_all(&[data]);
}

#[test]
fn index_spaces_are_updated_and_asked_about() {
    let setup = Setup::new();
    let kernels = Kernels::new(&setup);
    let data = zeros(&setup, 64);
    let sizes = kernels.kernel(c"sizes");
    set(sizes, 0, &data);
    let recording = Recording::mutable(setup.queue);
    let command = recording.handle(sizes, &[], &[64], Some(&[8]));
    recording.finalize();
    recording.enqueue();
    assert_eq!(numbers(&setup, data), [808; 64]);
    let (offset, global, local) = (7usize, 32usize, 16usize);
    let update = cl::cl_mutable_dispatch_config_khr {
        work_dim: 1,
        global_work_offset: &offset,
        global_work_size: &global,
        local_work_size: &local,
        ..no_change(command)
    };
    assert_eq!(recording.update(&[update]), cl::CL_SUCCESS);
    recording.enqueue();
    // The linear id does not count the offset.
    let found = numbers(&setup, data);
    assert_eq!((&found[..32], &found[32..]), (&[1602; 32][..], &[808; 32][..]));
    assert_eq!(info::<usize>(command, cl::CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR), [7]);
    assert_eq!(info::<usize>(command, cl::CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR), [32]);
    assert_eq!(info::<usize>(command, cl::CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR), [16]);
    ok!(clReleaseKernel(sizes));
    release_all(&[data]);
}

#[test]
fn a_recorded_launch_tells_what_it_was_recorded_with() {
    let setup = Setup::new();
    let kernels = Kernels::new(&setup);
    let data = zeros(&setup, 64);
    let step = kernels.step(data, 1, 1);
    let recording = Recording::new(setup.queue);
    let list = [cl::CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, cl::CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR, 0];
    let command = recording.handle(step, &list, &[8, 4, 2], None);
    let plain = recording.handle(step, &[], &[8], None);
    assert_eq!(info::<usize>(command, cl::CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR), [setup.queue.addr()]);
    assert_eq!(info::<usize>(command, cl::CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR), [recording.handle.addr()]);
    assert_eq!(info::<u32>(command, cl::CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR), [cl::CL_COMMAND_NDRANGE_KERNEL]);
    assert_eq!(info::<u64>(command, cl::CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR), list);
    assert_eq!(info::<u64>(plain, cl::CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR), []);
    assert_eq!(info::<usize>(command, cl::CL_MUTABLE_DISPATCH_KERNEL_KHR), [step.addr()]);
    assert_eq!(info::<u32>(command, cl::CL_MUTABLE_DISPATCH_DIMENSIONS_KHR), [3]);
    assert_eq!(info::<usize>(command, cl::CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR), [0; 3]);
    assert_eq!(info::<usize>(command, cl::CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR), [8, 4, 2]);
    assert_eq!(info::<usize>(command, cl::CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR), [0; 3]);
    ok!(clReleaseKernel(step));
    release_all(&[data]);
}

#[test]
fn updates_take_effect_together_or_not_at_all() {
    let setup = Setup::new();
    let kernels = Kernels::new(&setup);
    let (data, other) = (zeros(&setup, 16), zeros(&setup, 16));
    let (first, second) = (kernels.step(data, 1, 1), kernels.step(other, 1, 1));
    let recording = Recording::mutable(setup.queue);
    let commands = [recording.handle(first, &[], &[16], None), recording.handle(second, &[], &[16], None)];
    recording.finalize();
    let ten = [argument(2, &10i32)];
    let wrong = [argument(2, &10i64)];
    let updates = [with_arguments(commands[0], &ten), with_arguments(commands[1], &wrong)];
    assert_eq!(recording.update(&updates), cl::CL_INVALID_ARG_SIZE);
    recording.enqueue();
    assert_eq!((numbers(&setup, data)[0], numbers(&setup, other)[0]), (1, 1));
    // The last of several updates of one command holds, on top of those before it.
    let (factor, twenty) = ([argument(1, &3i32)], [argument(2, &20i32)]);
    let updates =
        [with_arguments(commands[0], &ten), with_arguments(commands[0], &factor), with_arguments(commands[0], &twenty)];
    assert_eq!(recording.update(&updates), cl::CL_SUCCESS);
    recording.enqueue();
    assert_eq!((numbers(&setup, data)[0], numbers(&setup, other)[0]), (23, 2));
    for kernel in [first, second] {
        ok!(clReleaseKernel(kernel));
    }
    release_all(&[data, other]);
}

#[test]
fn what_is_enqueued_already_keeps_its_arguments() {
    let setup = Setup::new();
    let kernels = Kernels::new(&setup);
    let data = zeros(&setup, 256);
    let step = kernels.step(data, 10, 1);
    let recording = Recording::mutable(setup.queue);
    let command = recording.handle(step, &[], &[256], None);
    recording.finalize();
    let user = create!(clCreateUserEvent(setup.context));
    let mut events = vec![recording.enqueue_to(setup.queue, &[user])];
    for digit in 2..=5i32 {
        assert_eq!(recording.update(&[with_arguments(command, &[argument(2, &digit)])]), cl::CL_SUCCESS);
        events.push(recording.enqueue_to(setup.queue, &[]));
    }
    ok!(clSetUserEventStatus(user, cl::CL_COMPLETE));
    assert_eq!(numbers(&setup, data), [12345; 256]);
    for event in events.into_iter().chain([user]) {
        ok!(clReleaseEvent(event));
    }
    ok!(clReleaseKernel(step));
    release_all(&[data]);
}

#[test]
fn pointers_to_shared_memory_and_execution_info_are_updated() {
    let setup = Setup::new();
    let kernels = Kernels::new(&setup);
    let allocations: [*mut i32; 2] = [(); 2].map(|()| call!(clSVMAlloc(setup.context, 0, 64, 0)).cast());
    for allocation in allocations {
        // SAFETY: the allocation has 16 numbers.
        unsafe { allocation.write_bytes(0, 16) };
    }
    let step = kernels.step(null_mut(), 1, 3);
    ok!(clSetKernelArgSVMPointer(step, 0, allocations[0].cast()));
    let recording = Recording::mutable(setup.queue);
    let command = recording.handle(step, &[], &[16], None);
    recording.finalize();
    recording.enqueue();
    let pointer = cl::cl_mutable_dispatch_arg_khr { arg_index: 0, arg_size: 0, arg_value: allocations[1].cast() };
    let exec_info = cl::cl_mutable_dispatch_exec_info_khr {
        param_name: cl::CL_KERNEL_EXEC_INFO_SVM_PTRS,
        param_value_size: size_of::<*mut c_void>(),
        param_value: (&raw const allocations[1]).cast(),
    };
    let update = cl::cl_mutable_dispatch_config_khr {
        num_svm_args: 1,
        arg_svm_list: &pointer,
        num_exec_infos: 1,
        exec_info_list: &exec_info,
        ..no_change(command)
    };
    assert_eq!(recording.update(&[update]), cl::CL_SUCCESS);
    recording.enqueue();
    recording.enqueue();
    setup.finish();
    // SAFETY: the allocations have 16 numbers each, and the queue is finished.
    let found = allocations.map(|allocation| unsafe { (allocation.read(), allocation.add(15).read()) });
    assert_eq!(found, [(3, 3), (6, 6)]);
    ok!(clReleaseKernel(step));
    drop(recording);
    for allocation in allocations {
        call!(clSVMFree(setup.context, allocation.cast()));
    }
}
