//! Extensions that show in the API.

use std::ffi::{CStr, c_char};
use std::ptr::{null, null_mut};

use khronos_headers as cl;
use oxicl_tests::offline::{Level, assemble_as, compile};

use crate::support::{Setup, call, code_of, create, function, ok};

/// An answer of the device, as values.
pub fn answer<T: Copy>(name: cl::cl_device_info) -> Vec<T> {
    let setup = Setup::new();
    let mut size = 0;
    ok!(clGetDeviceInfo(setup.device, name, 0, null_mut(), &mut size));
    assert_eq!(size % size_of::<T>(), 0, "{name:#x}");
    let mut values: Vec<T> = Vec::with_capacity(size / size_of::<T>());
    ok!(clGetDeviceInfo(setup.device, name, size, values.as_mut_ptr().cast(), null_mut()));
    // SAFETY: the call filled as many.
    unsafe { values.set_len(size / size_of::<T>()) };
    values
}

#[test]
pub fn the_loader_found_the_platform() {
    let mut count = 0;
    ok!(clGetPlatformIDs(0, null_mut(), &mut count));
    assert!(count >= 1);
}

#[test]
pub fn a_queue_is_created_by_the_extension() {
    let setup = Setup::new();
    let create: cl::clCreateCommandQueueWithPropertiesKHR = function("clCreateCommandQueueWithPropertiesKHR");
    let list = [cl::CL_QUEUE_PROPERTIES as cl::cl_queue_properties, cl::CL_QUEUE_PROFILING_ENABLE, 0];
    let mut code = 1;
    // SAFETY: the handles are valid, the list ends with a zero.
    let queue = unsafe { create(setup.context, setup.device, list.as_ptr().cast(), &mut code) };
    assert_eq!(code, cl::CL_SUCCESS);
    ok!(clFinish(queue));
    ok!(clReleaseCommandQueue(queue));
}

/// Queues with each value of a hint: they work, and give the list back.
fn queues_take(hint: u32, values: [u32; 3]) {
    let setup = Setup::new();
    for value in values {
        let list = [hint.into(), value.into(), cl::CL_QUEUE_PROPERTIES as cl::cl_queue_properties, 0, 0];
        let queue = create!(clCreateCommandQueueWithProperties(setup.context, setup.device, list.as_ptr()));
        let buffer = setup.buffer(0, 4096);
        let pattern = 7u8;
        let pointer = (&raw const pattern).cast();
        ok!(clEnqueueFillBuffer(queue, buffer, pointer, 1, 0, 4096, 0, null(), null_mut()));
        let mut bytes = vec![0u8; 4096];
        let place = bytes.as_mut_ptr().cast();
        ok!(clEnqueueReadBuffer(queue, buffer, cl::CL_TRUE, 0, 4096, place, 0, null(), null_mut()));
        assert!(bytes.iter().all(|byte| *byte == 7));
        let mut back = [1 as cl::cl_queue_properties; 5];
        let (size, place) = (size_of_val(&back), back.as_mut_ptr().cast());
        ok!(clGetCommandQueueInfo(queue, cl::CL_QUEUE_PROPERTIES_ARRAY, size, place, null_mut()));
        assert_eq!(back, list);
        ok!(clReleaseMemObject(buffer));
        ok!(clReleaseCommandQueue(queue));
    }
    for value in [0, 3, 8] {
        let list = [hint.into(), value, 0];
        let code = code_of!(clCreateCommandQueueWithProperties(setup.context, setup.device, list.as_ptr()));
        assert_eq!(code, cl::CL_INVALID_VALUE, "{value}");
    }
    let on_device = cl::CL_QUEUE_ON_DEVICE | cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    let list = [hint.into(), values[0].into(), cl::CL_QUEUE_PROPERTIES as cl::cl_queue_properties, on_device, 0];
    let code = code_of!(clCreateCommandQueueWithProperties(setup.context, setup.device, list.as_ptr()));
    assert_eq!(code, cl::CL_INVALID_QUEUE_PROPERTIES);
}

#[test]
pub fn queues_take_priorities() {
    let values = [cl::CL_QUEUE_PRIORITY_HIGH_KHR, cl::CL_QUEUE_PRIORITY_MED_KHR, cl::CL_QUEUE_PRIORITY_LOW_KHR];
    queues_take(cl::CL_QUEUE_PRIORITY_KHR as u32, values);
}

#[test]
pub fn queues_take_throttles() {
    let values = [cl::CL_QUEUE_THROTTLE_HIGH_KHR, cl::CL_QUEUE_THROTTLE_MED_KHR, cl::CL_QUEUE_THROTTLE_LOW_KHR];
    queues_take(cl::CL_QUEUE_THROTTLE_KHR as u32, values);
}

#[test]
pub fn the_make_of_the_processor_is_told() {
    let number = |query| answer::<u32>(query)[0];
    let units = number(cl::CL_DEVICE_MAX_COMPUTE_UNITS);
    let parts = [
        cl::CL_DEVICE_NUM_SLICES_INTEL,
        cl::CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL,
        cl::CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL,
        cl::CL_DEVICE_NUM_THREADS_PER_EU_INTEL,
    ];
    assert_eq!(parts.map(number).iter().product::<u32>(), units);
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap();
    let model = text.lines().find_map(|line| line.strip_prefix("model\t\t: ")).unwrap().parse::<u32>().unwrap();
    assert_eq!(cl::CL_VERSION_MINOR(number(cl::CL_DEVICE_IP_VERSION_INTEL)), model);
    assert_eq!(number(cl::CL_DEVICE_ID_INTEL) >> 4 & 0xFFF, model);
    let known = cl::CL_DEVICE_FEATURE_FLAG_DP4A_INTEL | cl::CL_DEVICE_FEATURE_FLAG_DPAS_INTEL;
    assert_eq!(answer::<u64>(cl::CL_DEVICE_FEATURE_CAPABILITIES_INTEL)[0] & !known, 0);
}

#[test]
pub fn identifiers_are_there_and_stay() {
    for name in [cl::CL_DEVICE_UUID, cl::CL_DRIVER_UUID] {
        let first = answer::<u8>(name);
        assert!(first.len() == cl::CL_UUID_SIZE && first.iter().any(|byte| *byte != 0));
        assert_eq!(first, answer::<u8>(name));
    }
    assert_eq!(answer::<u32>(cl::CL_DEVICE_LUID_VALID), [cl::CL_FALSE]);
}

#[test]
pub fn versions_are_numbers() {
    assert_eq!(answer::<u32>(cl::CL_DEVICE_NUMERIC_VERSION), [cl::CL_MAKE_VERSION(3, 1, 0)]);
    let extensions = answer::<cl::cl_name_version>(cl::CL_DEVICE_EXTENSIONS_WITH_VERSION);
    // Experimental ones are below 1.0.
    assert!(extensions.iter().all(|entry| entry.version >= cl::CL_MAKE_VERSION(0, 1, 0) && entry.name[0] != 0));
    let languages = answer::<cl::cl_name_version>(cl::CL_DEVICE_ILS_WITH_VERSION);
    for minor in 0..=6 {
        assert!(languages.iter().any(|entry| entry.version == cl::CL_MAKE_VERSION(1, minor, 0)), "SPIR-V 1.{minor}");
    }
}

#[test]
pub fn a_program_is_created_by_the_extension() {
    let setup = Setup::new();
    let create: cl::clCreateProgramWithILKHR = function("clCreateProgramWithILKHR");
    let words = compile("kernel void k(global int *p) { *p = 1; }", Level::Plain).unwrap();
    let mut code = 1;
    // SAFETY: the context is valid, the words have that length.
    let program = unsafe { create(setup.context, words.as_ptr().cast(), words.len(), &mut code) };
    assert_eq!(code, cl::CL_SUCCESS);
    ok!(clBuildProgram(program, 0, null(), null(), None, null_mut()));
    ok!(clReleaseProgram(program));
}

#[test]
pub fn a_local_size_is_suggested() {
    let setup = Setup::new();
    let words = compile("kernel void k(global int *p) { p[get_global_id(0)] = 1; }", Level::Plain).unwrap();
    let program = create!(clCreateProgramWithIL(setup.context, words.as_ptr().cast(), words.len()));
    ok!(clBuildProgram(program, 0, null(), null(), None, null_mut()));
    let kernel = create!(clCreateKernel(program, c"k".as_ptr()));
    let suggest: cl::clGetKernelSuggestedLocalWorkSizeKHR = function("clGetKernelSuggestedLocalWorkSizeKHR");
    let buffer = setup.buffer(0, 4096);
    ok!(clSetKernelArg(kernel, 0, size_of::<cl::cl_mem>(), (&raw const buffer).cast()));
    for global in [1usize, 7, 1024] {
        let mut size = 0;
        // SAFETY: the handles are valid, the sizes have one dimension.
        let code = unsafe { suggest(setup.queue, kernel, 1, null(), &global, &mut size) };
        assert_eq!(code, cl::CL_SUCCESS);
        assert!(size >= 1 && size <= global, "{size} of {global}");
    }
    ok!(clReleaseMemObject(buffer));
    ok!(clReleaseKernel(kernel));
    ok!(clReleaseProgram(program));
}

#[test]
pub fn spirv_queries_tell_what_is_accepted() {
    let names = |query| -> Vec<String> {
        let pointers = answer::<*const c_char>(query);
        // SAFETY: the driver answers with strings that it keeps.
        pointers.into_iter().map(|text| unsafe { CStr::from_ptr(text) }.to_str().unwrap().to_owned()).collect()
    };
    assert!(names(cl::CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS).iter().any(|set| set == "OpenCL.std"));
    let setup = Setup::new();
    let builds = |head: &str| {
        let text = format!(
            "{head}\nOpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %k \"k\"\n%void = OpTypeVoid\n\
             %t = OpTypeFunction %void\n%k = OpFunction %void None %t\n%l = OpLabel\nOpReturn\nOpFunctionEnd\n"
        );
        let words = assemble_as(&text, 6).unwrap_or_else(|log| panic!("{log}\n{text}"));
        let mut code = 1;
        let program = call!(clCreateProgramWithIL(setup.context, words.as_ptr().cast(), words.len(), &mut code));
        let built = code == cl::CL_SUCCESS
            && call!(clBuildProgram(program, 0, null(), null(), None, null_mut())) == cl::CL_SUCCESS;
        if !program.is_null() {
            ok!(clReleaseProgram(program));
        }
        built
    };
    let base = "OpCapability Addresses\nOpCapability Kernel\n";
    let extensions = names(cl::CL_DEVICE_SPIRV_EXTENSIONS);
    for extension in &extensions {
        assert!(builds(&format!("{base}OpExtension \"{extension}\"")), "{extension}");
    }
    // By number: the assembler does not know the names of all of them. Each with every extension, one of which it may
    // need.
    let all: String = extensions.iter().map(|extension| format!("\nOpExtension \"{extension}\"")).collect();
    for number in answer::<u32>(cl::CL_DEVICE_SPIRV_CAPABILITIES) {
        assert!(builds(&format!("{base}OpCapability !{number}{all}")), "capability {number}");
    }
    assert!(!builds(&format!("{base}OpCapability Pipes")), "a capability that is not advertised");
    assert!(!builds(&format!("{base}OpExtension \"SPV_KHR_no_such_thing\"")), "an extension that is not advertised");
}
