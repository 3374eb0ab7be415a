//! Error codes of updates and of handles of recorded launches.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::recording::{Kernels, Recording, argument, no_change, with_arguments, zeros};
use crate::support::{Setup, extension, ok, release_all, table};

#[test]
fn updates() {
    let setup = Setup::new();
    let kernels = Kernels::new(&setup);
    let data = zeros(&setup, 64);
    let step = kernels.step(data, 1, 1);
    let [recording, fresh, other] = [(); 3].map(|()| Recording::mutable(setup.queue));
    let fixed = Recording::new(setup.queue);
    let command = recording.handle(step, &[], &[64], Some(&[8]));
    let [young, foreign, still] = [&fresh, &other, &fixed].map(|buffer| buffer.handle(step, &[], &[64], None));
    for buffer in [&recording, &other, &fixed] {
        buffer.finalize();
    }
    let gone = Recording::mutable(setup.queue).handle(step, &[], &[64], None);
    let (config, kind) = (no_change(command), cl::CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR);
    let raw = |count, kinds: *const u32, configs: *mut *const c_void| {
        extension!(clUpdateMutableCommandsKHR(recording.handle, count, kinds, configs))
    };
    let mut configs: [*const c_void; 1] = [std::ptr::from_ref(&config).cast()];
    let list = configs.as_mut_ptr();
    let one = |update| recording.update(&[update]);
    let size = |value: &'static usize| cl::cl_mutable_dispatch_config_khr { global_work_size: value, ..config };
    let value = argument(2, &7i32);
    table! {
        "nothing to do" => CL_SUCCESS, raw(0, null(), null_mut());
        "an update that changes nothing" => CL_SUCCESS, raw(1, &kind, list);
        "no command buffer" => CL_INVALID_COMMAND_BUFFER_KHR,
            extension!(clUpdateMutableCommandsKHR(null_mut(), 1, &kind, list));
        "before it is finalised" => CL_INVALID_OPERATION, fresh.update(&[no_change(young)]);
        "a command buffer that is not mutable" => CL_INVALID_OPERATION, fixed.update(&[no_change(still)]);
        "a count without types" => CL_INVALID_VALUE, raw(1, null(), list);
        "types without a count" => CL_INVALID_VALUE, raw(0, &kind, null_mut());
        "a count without updates" => CL_INVALID_VALUE, raw(1, &kind, null_mut());
        "updates without a count" => CL_INVALID_VALUE, raw(0, null(), list);
        "a type that does not exist" => CL_INVALID_VALUE, raw(1, &77, list);
        "a null update" => CL_INVALID_VALUE, raw(1, &kind, &mut null());
        "no command" => CL_INVALID_MUTABLE_COMMAND_KHR, one(no_change(null_mut()));
        "a kernel for a command" => CL_INVALID_MUTABLE_COMMAND_KHR, one(no_change(step.cast()));
        "a command of another command buffer" => CL_INVALID_MUTABLE_COMMAND_KHR, one(no_change(foreign));
        "a command that is gone" => CL_INVALID_MUTABLE_COMMAND_KHR, one(no_change(gone));
        "another number of dimensions" => CL_INVALID_OPERATION,
            one(cl::cl_mutable_dispatch_config_khr { work_dim: 2, ..config });
        "the same number of dimensions" => CL_SUCCESS,
            one(cl::cl_mutable_dispatch_config_khr { work_dim: 1, ..config });
        "a count without arguments" => CL_INVALID_VALUE,
            one(cl::cl_mutable_dispatch_config_khr { num_args: 1, ..config });
        "arguments without a count" => CL_INVALID_VALUE,
            one(cl::cl_mutable_dispatch_config_khr { arg_list: &value, ..config });
        "a count without pointers" => CL_INVALID_VALUE,
            one(cl::cl_mutable_dispatch_config_khr { num_svm_args: 1, ..config });
        "pointers without a count" => CL_INVALID_VALUE,
            one(cl::cl_mutable_dispatch_config_khr { arg_svm_list: &value, ..config });
        "a count without information" => CL_INVALID_VALUE,
            one(cl::cl_mutable_dispatch_config_khr { num_exec_infos: 1, ..config });
        "an argument that does not exist" => CL_INVALID_ARG_INDEX, one(with_arguments(command, &[argument(3, &7i32)]));
        "an argument of another size" => CL_INVALID_ARG_SIZE, one(with_arguments(command, &[argument(2, &7i64)]));
        "no value for an argument" => CL_INVALID_ARG_VALUE,
            one(with_arguments(command, &[cl::cl_mutable_dispatch_arg_khr { arg_value: null(), ..value }]));
        "a kernel for a buffer" => CL_INVALID_MEM_OBJECT, one(with_arguments(command, &[argument(0, &step)]));
        "work-groups that become uneven" => CL_INVALID_OPERATION, one(size(&60));
        "work-groups that stay even" => CL_SUCCESS, one(size(&32));
        "an empty work-group" => CL_INVALID_OPERATION,
            one(cl::cl_mutable_dispatch_config_khr { local_work_size: &0, ..config });
        "ids that do not fit" => CL_INVALID_GLOBAL_OFFSET,
            one(cl::cl_mutable_dispatch_config_khr { global_work_offset: &usize::MAX, ..config });
    }
    ok!(clReleaseKernel(step));
    release_all(&[data]);
}

#[test]
fn only_the_fields_that_were_named_can_be_updated() {
    let setup = Setup::new();
    let kernels = Kernels::new(&setup);
    let data = zeros(&setup, 64);
    let step = kernels.step(data, 1, 1);
    let fields = [
        cl::CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR,
        cl::CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR,
        cl::CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR,
        cl::CL_MUTABLE_DISPATCH_ARGUMENTS_KHR,
        cl::CL_MUTABLE_DISPATCH_EXEC_INFO_KHR,
    ];
    let recording = Recording::mutable(setup.queue);
    let commands = fields.map(|field| {
        recording.handle(step, &[cl::CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, field, 0], &[64], Some(&[8]))
    });
    recording.finalize();
    let (eight, value) = (8usize, argument(2, &7i32));
    let pointer: *const c_void = (&raw const eight).cast();
    let exec_info = cl::cl_mutable_dispatch_exec_info_khr {
        param_name: cl::CL_KERNEL_EXEC_INFO_SVM_PTRS,
        param_value_size: size_of::<*const c_void>(),
        param_value: (&raw const pointer).cast(),
    };
    for (allowed, command) in commands.into_iter().enumerate() {
        let config = no_change(command);
        let updates = [
            cl::cl_mutable_dispatch_config_khr { global_work_offset: &eight, ..config },
            cl::cl_mutable_dispatch_config_khr { global_work_size: &eight, ..config },
            cl::cl_mutable_dispatch_config_khr { local_work_size: &eight, ..config },
            with_arguments(command, std::slice::from_ref(&value)),
            cl::cl_mutable_dispatch_config_khr { num_exec_infos: 1, exec_info_list: &exec_info, ..config },
        ];
        for (number, update) in updates.into_iter().enumerate() {
            let expected = if number == allowed { cl::CL_SUCCESS } else { cl::CL_INVALID_OPERATION };
            assert_eq!(recording.update(&[update]), expected, "field {number} of a command with {allowed}");
        }
    }
    ok!(clReleaseKernel(step));
    release_all(&[data]);
}

#[test]
fn queries_of_commands() {
    let setup = Setup::new();
    let kernels = Kernels::new(&setup);
    let data = zeros(&setup, 64);
    let step = kernels.step(data, 1, 1);
    let recording = Recording::new(setup.queue);
    let command = recording.handle(step, &[], &[8, 8], None);
    let gone = Recording::new(setup.queue).handle(step, &[], &[64], None);
    let mut bytes = [0u8; 64];
    let memory = bytes.as_mut_ptr().cast();
    let info = |command, name, size| extension!(clGetMutableCommandInfoKHR(command, name, size, memory, null_mut()));
    let sizes = cl::CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR;
    table! {
        "sizes" => CL_SUCCESS, info(command, sizes, 16);
        "no command" => CL_INVALID_MUTABLE_COMMAND_KHR, info(null_mut(), sizes, 16);
        "a command buffer for a command" => CL_INVALID_MUTABLE_COMMAND_KHR, info(recording.handle.cast(), sizes, 16);
        "a command whose command buffer is gone" => CL_INVALID_MUTABLE_COMMAND_KHR, info(gone, sizes, 16);
        "too little room" => CL_INVALID_VALUE, info(command, sizes, 15);
        "no such query" => CL_INVALID_VALUE, info(command, 0x1234, 64);
    }
    ok!(clReleaseKernel(step));
    release_all(&[data]);
}
