//! Error codes of the entry points of kernels.

use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::sources::{IL, assembled, build, built, kernel, program, set};
use crate::support::{Setup, call, code_of, ok, table};

#[test]
fn create_kernel() {
    let s = Setup::new();
    let p = program(&s, &IL);
    table! {
        "null program" => CL_INVALID_PROGRAM, code_of!(clCreateKernel(null_mut(), c"all".as_ptr()));
        "not built" => CL_INVALID_PROGRAM_EXECUTABLE, code_of!(clCreateKernel(p, c"all".as_ptr()));
        "all kernels, not built" => CL_INVALID_PROGRAM_EXECUTABLE, call!(clCreateKernelsInProgram(p, 0, null_mut(), &mut 0));
        "build" => CL_SUCCESS, build(p, c"");
        "null name" => CL_INVALID_VALUE, code_of!(clCreateKernel(p, null()));
        "no such kernel" => CL_INVALID_KERNEL_NAME, code_of!(clCreateKernel(p, c"All".as_ptr()));
    }
    let mut kernels = [null_mut(); 4];
    let mut count = 0;
    let mut all =
        |program, places, list: *mut cl::cl_kernel| call!(clCreateKernelsInProgram(program, places, list, &mut count));
    table! {
        "null program" => CL_INVALID_PROGRAM, all(null_mut(), 4, kernels.as_mut_ptr());
        "too few places" => CL_INVALID_VALUE, all(p, 2, kernels.as_mut_ptr());
        "count only" => CL_SUCCESS, all(p, 0, null_mut());
        "good" => CL_SUCCESS, all(p, 4, kernels.as_mut_ptr());
    }
    assert_eq!(count, 3);
    for kernel in &kernels[..3] {
        ok!(clReleaseKernel(*kernel));
    }
    assert!(kernels[3].is_null());
    ok!(clReleaseProgram(p));
}

#[test]
fn set_kernel_arg() {
    let s = Setup::new();
    let other = Setup::new();
    let p = built(&s, &IL);
    let k = kernel(p, "all");
    let buffer = s.buffer(cl::CL_MEM_READ_WRITE, 64);
    let foreign = other.buffer(cl::CL_MEM_READ_WRITE, 64);
    let raw = |index, size, value: *const u64| call!(clSetKernelArg(k, index, size, value.cast()));
    let word = [0_u64; 4];
    table! {
        "null kernel" => CL_INVALID_KERNEL, set(null_mut(), 0, &buffer);
        "program as kernel" => CL_INVALID_KERNEL, set(p.cast(), 0, &buffer);
        "index" => CL_INVALID_ARG_INDEX, set(k, 6, &buffer);
        "buffer's size" => CL_INVALID_ARG_SIZE, raw(0, 4, word.as_ptr());
        "context as buffer" => CL_INVALID_MEM_OBJECT, set(k, 0, &s.context);
        "buffer of another context" => CL_INVALID_CONTEXT, set(k, 0, &foreign);
        "null buffer" => CL_SUCCESS, raw(0, 8, word.as_ptr());
        "null value" => CL_SUCCESS, raw(0, 8, null());
        "buffer" => CL_SUCCESS, set(k, 0, &buffer);
        "constant buffer" => CL_SUCCESS, set(k, 1, &buffer);
        "local with a value" => CL_INVALID_ARG_VALUE, raw(2, 16, word.as_ptr());
        "local of no bytes" => CL_SUCCESS, raw(2, 0, null());
        "local" => CL_SUCCESS, raw(2, 16, null());
        "vector's size" => CL_INVALID_ARG_SIZE, raw(3, 12, word.as_ptr());
        "null vector" => CL_INVALID_ARG_VALUE, raw(3, 16, null());
        "vector" => CL_SUCCESS, raw(3, 16, word.as_ptr());
        "float's size" => CL_INVALID_ARG_SIZE, raw(4, 8, word.as_ptr());
        "float" => CL_SUCCESS, raw(4, 4, word.as_ptr());
        "structure's size" => CL_INVALID_ARG_SIZE, raw(5, 24, word.as_ptr());
        "structure" => CL_SUCCESS, raw(5, 20, word.as_ptr());
        "svm, null kernel" => CL_INVALID_KERNEL, call!(clSetKernelArgSVMPointer(null_mut(), 0, null()));
        "svm, index" => CL_INVALID_ARG_INDEX, call!(clSetKernelArgSVMPointer(k, 6, null()));
        "svm for a local pointer" => CL_INVALID_ARG_VALUE, call!(clSetKernelArgSVMPointer(k, 2, null()));
        "svm for a vector" => CL_INVALID_ARG_VALUE, call!(clSetKernelArgSVMPointer(k, 3, null()));
        "svm" => CL_SUCCESS, call!(clSetKernelArgSVMPointer(k, 0, word.as_ptr().cast()));
        "release" => CL_SUCCESS, call!(clReleaseKernel(k));
        "released" => CL_INVALID_KERNEL, set(k, 0, &buffer);
    }
    ok!(clReleaseMemObject(buffer));
    ok!(clReleaseMemObject(foreign));
    ok!(clReleaseProgram(p));
}

#[test]
fn launches_need_all_arguments() {
    let s = Setup::new();
    let p = built(&s, &IL);
    let k = kernel(p, "required");
    let buffer = s.buffer(cl::CL_MEM_READ_WRITE, 64);
    let launch = |local: *const usize| {
        let global = [4_usize, 2];
        call!(clEnqueueNDRangeKernel(s.queue, k, 2, null(), global.as_ptr(), local, 0, null(), null_mut()))
    };
    let local = [2_usize, 2];
    table! {
        "none is set" => CL_INVALID_KERNEL_ARGS, launch(null());
        "set the first" => CL_SUCCESS, set(k, 0, &buffer);
        "one is missing" => CL_INVALID_KERNEL_ARGS, launch(null());
        "set the second" => CL_SUCCESS, set(k, 1, &buffer);
        "another size than required" => CL_INVALID_WORK_GROUP_SIZE, launch(local.as_ptr());
        "the required size" => CL_SUCCESS, launch(null());
    }
    s.finish();
    ok!(clReleaseMemObject(buffer));
    ok!(clReleaseKernel(k));
    ok!(clReleaseProgram(p));
}

#[test]
fn set_kernel_exec_info() {
    let s = Setup::new();
    let p = built(&s, &IL);
    let k = kernel(p, "all");
    let pointers = [null::<u8>(); 2];
    let yes = cl::CL_TRUE;
    let pointer = pointers.as_ptr().cast();
    let svm = cl::CL_KERNEL_EXEC_INFO_SVM_PTRS;
    let system = cl::CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM;
    table! {
        "null kernel" => CL_INVALID_KERNEL, call!(clSetKernelExecInfo(null_mut(), svm, 16, pointer));
        "no such name" => CL_INVALID_VALUE, call!(clSetKernelExecInfo(k, 1, 16, pointer));
        "half a pointer" => CL_INVALID_VALUE, call!(clSetKernelExecInfo(k, svm, 12, pointer));
        "null value" => CL_INVALID_VALUE, call!(clSetKernelExecInfo(k, svm, 16, null()));
        "pointers" => CL_SUCCESS, call!(clSetKernelExecInfo(k, svm, 16, pointer));
        "no pointers" => CL_SUCCESS, call!(clSetKernelExecInfo(k, svm, 0, null()));
        "another size" => CL_INVALID_VALUE, call!(clSetKernelExecInfo(k, system, 8, (&raw const yes).cast()));
        "null value of a truth" => CL_INVALID_VALUE, call!(clSetKernelExecInfo(k, system, 4, null()));
        "system memory" => CL_SUCCESS, call!(clSetKernelExecInfo(k, system, 4, (&raw const yes).cast()));
    }
    ok!(clReleaseKernel(k));
    ok!(clReleaseProgram(p));
}

#[test]
fn kernel_queries() {
    let s = Setup::new();
    let p = built(&s, &IL);
    let k = kernel(p, "all");
    let mut room = [0_u64; 8];
    let memory = room.as_mut_ptr().cast();
    let device = s.device;
    table! {
        "null kernel" => CL_INVALID_KERNEL, call!(clGetKernelInfo(null_mut(), cl::CL_KERNEL_NUM_ARGS, 64, memory, null_mut()));
        "no such query" => CL_INVALID_VALUE, call!(clGetKernelInfo(k, 1, 64, memory, null_mut()));
        "too small" => CL_INVALID_VALUE, call!(clGetKernelInfo(k, cl::CL_KERNEL_NUM_ARGS, 2, memory, null_mut()));
        "argument: null kernel" => CL_INVALID_KERNEL,
            call!(clGetKernelArgInfo(null_mut(), 0, cl::CL_KERNEL_ARG_NAME, 64, memory, null_mut()));
        "argument: index" => CL_INVALID_ARG_INDEX,
            call!(clGetKernelArgInfo(k, 6, cl::CL_KERNEL_ARG_NAME, 64, memory, null_mut()));
        "argument: no such query" => CL_INVALID_VALUE, call!(clGetKernelArgInfo(k, 0, 1, 64, memory, null_mut()));
        "group: null kernel" => CL_INVALID_KERNEL,
            call!(clGetKernelWorkGroupInfo(null_mut(), device, cl::CL_KERNEL_WORK_GROUP_SIZE, 64, memory, null_mut()));
        "group: context as device" => CL_INVALID_DEVICE,
            call!(clGetKernelWorkGroupInfo(k, s.context.cast(), cl::CL_KERNEL_WORK_GROUP_SIZE, 64, memory, null_mut()));
        "group: no such query" => CL_INVALID_VALUE,
            call!(clGetKernelWorkGroupInfo(k, device, 1, 64, memory, null_mut()));
        "group: only for built-in kernels" => CL_INVALID_VALUE,
            call!(clGetKernelWorkGroupInfo(k, device, cl::CL_KERNEL_GLOBAL_WORK_SIZE, 64, memory, null_mut()));
        "group: the only device" => CL_SUCCESS,
            call!(clGetKernelWorkGroupInfo(k, null_mut(), cl::CL_KERNEL_WORK_GROUP_SIZE, 64, memory, null_mut()));
        "clone null" => CL_INVALID_KERNEL, code_of!(clCloneKernel(null_mut()));
        "retain null" => CL_INVALID_KERNEL, call!(clRetainKernel(null_mut()));
    }
    ok!(clReleaseKernel(k));
    ok!(clReleaseProgram(p));
}

#[test]
fn arguments_are_no_larger_than_the_module_says() {
    let s = Setup::new();
    let p = built(
        &s,
        &assembled(
            "OpCapability Addresses
             OpCapability Kernel
             OpCapability Int64
             OpMemoryModel Physical64 OpenCL
             OpEntryPoint Kernel %main \"limited\"
             OpDecorate %literal MaxByteOffset 64
             OpDecorateId %constant MaxByteOffsetId %limit
             OpDecorate %local MaxByteOffset 16
             OpDecorate %limit SpecId 3
             %void = OpTypeVoid
             %uint = OpTypeInt 32 0
             %limit = OpSpecConstant %uint 32
             %global_uint = OpTypePointer CrossWorkgroup %uint
             %local_uint = OpTypePointer Workgroup %uint
             %type = OpTypeFunction %void %global_uint %global_uint %local_uint %global_uint
             %main = OpFunction %void None %type
             %literal = OpFunctionParameter %global_uint
             %constant = OpFunctionParameter %global_uint
             %local = OpFunctionParameter %local_uint
             %free = OpFunctionParameter %global_uint
             %entry = OpLabel
             OpReturn
             OpFunctionEnd",
        ),
    );
    let k = kernel(p, "limited");
    let buffers = [32, 33, 64, 65].map(|size| s.buffer(cl::CL_MEM_READ_WRITE, size));
    let local = |size| call!(clSetKernelArg(k, 2, size, null()));
    table! {
        "as much as the decoration has" => CL_SUCCESS, set(k, 0, &buffers[2]);
        "one byte more" => CL_MAX_SIZE_RESTRICTION_EXCEEDED, set(k, 0, &buffers[3]);
        "none" => CL_SUCCESS, call!(clSetKernelArg(k, 0, 8, null()));
        "as much as the constant has" => CL_SUCCESS, set(k, 1, &buffers[0]);
        "one byte more than the constant" => CL_MAX_SIZE_RESTRICTION_EXCEEDED, set(k, 1, &buffers[1]);
        "local memory" => CL_SUCCESS, local(16);
        "one byte more of local memory" => CL_MAX_SIZE_RESTRICTION_EXCEEDED, local(17);
        "no limit" => CL_SUCCESS, set(k, 3, &buffers[3]);
    }
    ok!(clReleaseKernel(k));
    let limit = 64_u32;
    ok!(clSetProgramSpecializationConstant(p, 3, 4, (&raw const limit).cast()));
    assert_eq!(build(p, c""), cl::CL_SUCCESS);
    let k = kernel(p, "limited");
    table! {
        "as much as the new constant has" => CL_SUCCESS, set(k, 1, &buffers[2]);
        "one byte more than that" => CL_MAX_SIZE_RESTRICTION_EXCEEDED, set(k, 1, &buffers[3]);
    }
    ok!(clReleaseKernel(k));
    ok!(clReleaseProgram(p));
}
