//! Builds: state, log, callbacks, and what is compiled and linked.

use std::ptr::{null, null_mut};
use std::time::Duration;

use khronos_headers as cl;

use crate::sources::{
    COUNTER, IL, assembled, build, build_number, build_text, built, kernel, program, program_bytes, tell, text, told,
};
use crate::support::{Setup, call, ok};

#[test]
fn a_build_has_a_state_options_and_an_empty_log() {
    let s = Setup::new();
    let p = program(&s, &IL);
    assert_eq!(build_number(&s, p, cl::CL_PROGRAM_BUILD_STATUS), cl::CL_BUILD_NONE as u32);
    assert_eq!(build_number(&s, p, cl::CL_PROGRAM_BINARY_TYPE), cl::CL_PROGRAM_BINARY_TYPE_NONE);
    assert_eq!(build(p, c"-cl-mad-enable"), cl::CL_SUCCESS);
    assert_eq!(build_number(&s, p, cl::CL_PROGRAM_BUILD_STATUS), cl::CL_BUILD_SUCCESS as u32);
    assert_eq!(build_number(&s, p, cl::CL_PROGRAM_BINARY_TYPE), cl::CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    assert_eq!(build_text(&s, p, cl::CL_PROGRAM_BUILD_OPTIONS), "-cl-mad-enable");
    assert_eq!(build_text(&s, p, cl::CL_PROGRAM_BUILD_LOG), "");
    assert_eq!(text(program_bytes(p, cl::CL_PROGRAM_KERNEL_NAMES)), "all;required;two_locals");
    assert_eq!(program_bytes(p, cl::CL_PROGRAM_NUM_KERNELS), 3_usize.to_ne_bytes());
    assert_eq!(program_bytes(p, cl::CL_PROGRAM_IL), *IL);
    assert_eq!(program_bytes(p, cl::CL_PROGRAM_SOURCE), b"\0");
    ok!(clReleaseProgram(p));
}

#[test]
fn a_module_that_breaks_a_rule_makes_a_program_whose_build_log_names_it() {
    let s = Setup::new();
    // The result of the addition has another type than its operands.
    let wrong = assembled(
        "OpCapability Addresses
         OpCapability Kernel
         OpCapability Int64
         OpMemoryModel Physical64 OpenCL
         OpEntryPoint Kernel %main \"wrong\"
         %void = OpTypeVoid
         %uint = OpTypeInt 32 0
         %ulong = OpTypeInt 64 0
         %one = OpConstant %uint 1
         %type = OpTypeFunction %void
         %main = OpFunction %void None %type
         %entry = OpLabel
         %sum = OpIAdd %ulong %one %one
         OpReturn
         OpFunctionEnd",
    );
    let p = program(&s, &wrong);
    assert_eq!(build(p, c""), cl::CL_BUILD_PROGRAM_FAILURE);
    assert_eq!(build_number(&s, p, cl::CL_PROGRAM_BUILD_STATUS), cl::CL_BUILD_ERROR as u32);
    let log = build_text(&s, p, cl::CL_PROGRAM_BUILD_LOG);
    for part in ["= OpIAdd %ulong %uint_1 %uint_1", "rule:", "specification:"] {
        assert!(log.contains(part), "no '{part}' in: {log}");
    }
    ok!(clReleaseProgram(p));
}

#[test]
fn constants_that_double_are_refused_before_anything_is_compiled() {
    let s = Setup::new();
    let double = |level: u32| {
        let below = level - 1;
        format!(
            "%t{level} = OpTypeArray %t{below} %two\n%c{level} = OpConstantComposite %t{level} %c{below} %c{below}\n"
        )
    };
    let constants: String = (1..=26).map(double).collect();
    let module = assembled(&format!(
        "OpCapability Addresses
         OpCapability Kernel
         OpMemoryModel Physical64 OpenCL
         OpEntryPoint Kernel %main \"stores\"
         %void = OpTypeVoid
         %t0 = OpTypeInt 32 0
         %two = OpConstant %t0 2
         %c0 = OpConstant %t0 7
         {constants}
         %pointer = OpTypePointer Function %t26
         %type = OpTypeFunction %void
         %main = OpFunction %void None %type
         %entry = OpLabel
         %v = OpVariable %pointer Function
         OpStore %v %c26
         OpReturn
         OpFunctionEnd"
    ));
    let p = program(&s, &module);
    assert_eq!(build(p, c""), cl::CL_BUILD_PROGRAM_FAILURE);
    let log = build_text(&s, p, cl::CL_PROGRAM_BUILD_LOG);
    for part in ["composite constants have", "rule: DeviceLimit"] {
        assert!(log.contains(part), "no '{part}' in: {log}");
    }
    ok!(clReleaseProgram(p));
}

#[test]
fn the_log_of_a_build_that_succeeds_has_its_warnings() {
    let s = Setup::new();
    let p = program(&s, &assembled(&COUNTER.replace("OpStore %out %new Aligned 4", "OpStore %out %new Aligned 3")));
    assert_eq!(build(p, c""), cl::CL_SUCCESS);
    let log = build_text(&s, p, cl::CL_PROGRAM_BUILD_LOG);
    for part in ["warning: OpStore has an alignment of 3 bytes", "Aligned 3\n", "rule: Alignment"] {
        assert!(log.contains(part), "no '{part}' in: {log}");
    }
    ok!(clReleaseProgram(p));
}

#[test]
fn callbacks_come_once_for_builds_that_succeed_and_that_fail() {
    let s = Setup::new();
    let p = program(&s, &IL);
    let (word, receiver) = told();
    ok!(clBuildProgram(p, 0, null(), null(), Some(tell), word));
    assert_eq!(receiver.recv_timeout(Duration::from_secs(10)), Ok(p.addr()));
    let (word, receiver) = told();
    ok!(clCompileProgram(p, 0, null(), null(), 0, null(), null_mut(), Some(tell), word));
    assert_eq!(receiver.recv_timeout(Duration::from_secs(10)), Ok(p.addr()));
    ok!(clReleaseProgram(p));
}

#[test]
fn compiled_modules_are_linked_to_libraries_and_executables() {
    let s = Setup::new();
    let p = program(&s, &IL);
    ok!(clCompileProgram(p, 0, null(), null(), 0, null(), null_mut(), None, null_mut()));
    assert_eq!(build_number(&s, p, cl::CL_PROGRAM_BINARY_TYPE), cl::CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    let link = |options: &std::ffi::CStr, input: cl::cl_program| {
        let mut code = 1;
        let options = options.as_ptr();
        let linked = call!(clLinkProgram(s.context, 0, null(), options, 1, &input, None, null_mut(), &mut code));
        assert_eq!(code, cl::CL_SUCCESS);
        linked
    };
    let library = link(c"-create-library", p);
    assert_eq!(build_number(&s, library, cl::CL_PROGRAM_BINARY_TYPE), cl::CL_PROGRAM_BINARY_TYPE_LIBRARY);
    let executable = link(c"", library);
    assert_eq!(build_number(&s, executable, cl::CL_PROGRAM_BINARY_TYPE), cl::CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    let k = kernel(executable, "required");
    ok!(clReleaseKernel(k));
    for program in [p, library, executable] {
        ok!(clReleaseProgram(program));
    }
}

#[test]
fn eight_threads_build_at_once() {
    /// Handles may be used from any thread.
    struct Shared(Setup);
    // SAFETY: the API is thread-safe, but for the arguments of one kernel.
    unsafe impl Sync for Shared {}
    let shared = Shared(Setup::new());
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let shared = &shared;
            scope.spawn(move || {
                for _ in 0..3 {
                    let p = built(&{ shared }.0, &IL);
                    assert_eq!(program_bytes(p, cl::CL_PROGRAM_NUM_KERNELS), 3_usize.to_ne_bytes(), "{thread}");
                    ok!(clReleaseProgram(p));
                }
            });
        }
    });
}

#[test]
fn what_is_built_for_a_device_is_good_for_its_parts() {
    let s = Setup::new();
    if s.device_number::<u32>(cl::CL_DEVICE_MAX_COMPUTE_UNITS) < 2 {
        return;
    }
    let by = [cl::CL_DEVICE_PARTITION_EQUALLY, 1, 0];
    let mut part = null_mut();
    let mut count = 0;
    ok!(clCreateSubDevices(s.device, by.as_ptr(), 0, null_mut(), &mut count));
    let mut parts = vec![null_mut(); count as usize];
    ok!(clCreateSubDevices(s.device, by.as_ptr(), count, parts.as_mut_ptr(), null_mut()));
    std::mem::swap(&mut part, &mut parts[0]);
    let devices = [s.device, part];
    let context = crate::support::create!(clCreateContext(null(), 2, devices.as_ptr(), None, null_mut()));
    let p = crate::support::create!(clCreateProgramWithIL(context, IL.as_ptr().cast(), IL.len()));
    ok!(clBuildProgram(p, 1, &s.device, null(), None, null_mut()));
    let mut status = 1;
    let name = cl::CL_PROGRAM_BUILD_STATUS;
    ok!(clGetProgramBuildInfo(p, part, name, 4, (&raw mut status).cast(), null_mut()));
    assert_eq!(status, cl::CL_BUILD_SUCCESS);
    let queue = crate::support::create!(clCreateCommandQueueWithProperties(context, part, null()));
    let k = kernel(p, "required");
    let buffer = crate::support::create!(clCreateBuffer(context, cl::CL_MEM_READ_WRITE, 64, null_mut()));
    assert_eq!([crate::sources::set(k, 0, &buffer), crate::sources::set(k, 1, &buffer)], [cl::CL_SUCCESS; 2]);
    let size = [4_usize, 2];
    ok!(clEnqueueNDRangeKernel(queue, k, 2, null(), size.as_ptr(), null(), 0, null(), null_mut()));
    ok!(clFinish(queue));
    ok!(clReleaseKernel(k));
    ok!(clReleaseMemObject(buffer));
    ok!(clReleaseCommandQueue(queue));
    ok!(clReleaseProgram(p));
    ok!(clReleaseContext(context));
    ok!(clReleaseDevice(part));
    for part in parts.into_iter().skip(1) {
        ok!(clReleaseDevice(part));
    }
}

/// A module of one function, `triple`, and one of a kernel that imports it.
const PARTS: [&str; 2] = [
    "OpCapability Addresses
     OpCapability Kernel
     OpCapability Linkage
     OpMemoryModel Physical64 OpenCL
     OpDecorate %triple LinkageAttributes \"triple\" Export
     %uint = OpTypeInt 32 0
     %three = OpConstant %uint 3
     %type = OpTypeFunction %uint %uint
     %triple = OpFunction %uint None %type
     %value = OpFunctionParameter %uint
     %entry = OpLabel
     %result = OpIMul %uint %value %three
     OpReturnValue %result
     OpFunctionEnd",
    "OpCapability Addresses
     OpCapability Kernel
     OpCapability Linkage
     OpMemoryModel Physical64 OpenCL
     OpEntryPoint Kernel %main \"main\"
     OpDecorate %triple LinkageAttributes \"triple\" Import
     %void = OpTypeVoid
     %uint = OpTypeInt 32 0
     %seven = OpConstant %uint 7
     %pointer = OpTypePointer CrossWorkgroup %uint
     %imported = OpTypeFunction %uint %uint
     %type = OpTypeFunction %void %pointer
     %triple = OpFunction %uint None %imported
     %unused = OpFunctionParameter %uint
     OpFunctionEnd
     %main = OpFunction %void None %type
     %out = OpFunctionParameter %pointer
     %entry = OpLabel
     %result = OpFunctionCall %uint %triple %seven
     OpStore %out %result Aligned 4
     OpReturn
     OpFunctionEnd",
];

#[test]
fn a_kernel_calls_a_function_of_another_module_after_linking_only() {
    let s = Setup::new();
    let parts = PARTS.map(|text| program(&s, &assembled(text)));
    assert_eq!(build(parts[1], c""), cl::CL_BUILD_PROGRAM_FAILURE);
    let log = build_text(&s, parts[1], cl::CL_PROGRAM_BUILD_LOG);
    assert!(log.contains("triple"), "{log}");
    for part in parts {
        ok!(clCompileProgram(part, 0, null(), null(), 0, null(), null_mut(), None, null_mut()));
    }
    let link = |inputs: &[cl::cl_program]| {
        let (mut code, count) = (1, inputs.len() as u32);
        let list = inputs.as_ptr();
        let linked = call!(clLinkProgram(s.context, 0, null(), null(), count, list, None, null_mut(), &mut code));
        assert!(!linked.is_null(), "a program that cannot be linked is there for its log");
        (linked, code)
    };
    let (alone, code) = link(&parts[1..]);
    assert_eq!(code, cl::CL_LINK_PROGRAM_FAILURE);
    assert!(build_text(&s, alone, cl::CL_PROGRAM_BUILD_LOG).contains("triple"));
    let (both, code) = link(&parts);
    assert_eq!(code, cl::CL_SUCCESS, "{}", build_text(&s, both, cl::CL_PROGRAM_BUILD_LOG));
    let k = kernel(both, "main");
    let out = s.filled(&[0; 4]);
    assert_eq!(crate::sources::set(k, 0, &out), cl::CL_SUCCESS);
    crate::sources::run(&s, k, 1, 1);
    assert_eq!(crate::sources::numbers(&s, out), [21]);
    ok!(clReleaseKernel(k));
    ok!(clReleaseMemObject(out));
    for program in [parts[0], parts[1], alone, both] {
        ok!(clReleaseProgram(program));
    }
}
