//! What queries about kernels answer.

use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::sources::{IL, built, kernel, set, text};
use crate::support::{Setup, call, ok};

fn argument_text(kernel: cl::cl_kernel, index: u32, name: cl::cl_kernel_arg_info) -> String {
    let mut size = 0;
    ok!(clGetKernelArgInfo(kernel, index, name, 0, null_mut(), &mut size));
    let mut bytes = vec![0; size];
    ok!(clGetKernelArgInfo(kernel, index, name, size, bytes.as_mut_ptr().cast(), null_mut()));
    text(bytes)
}

fn argument_number(kernel: cl::cl_kernel, index: u32, name: cl::cl_kernel_arg_info) -> u64 {
    let (mut value, mut size) = (0_u64, 0);
    ok!(clGetKernelArgInfo(kernel, index, name, 8, (&raw mut value).cast(), &mut size));
    assert_eq!(size, if name == cl::CL_KERNEL_ARG_TYPE_QUALIFIER { 8 } else { 4 });
    value
}

fn group<T: Default>(kernel: cl::cl_kernel, name: cl::cl_kernel_work_group_info) -> T {
    let (mut value, mut size) = (T::default(), 0);
    ok!(clGetKernelWorkGroupInfo(kernel, null_mut(), name, size_of::<T>(), (&raw mut value).cast(), &mut size));
    assert_eq!(size, size_of::<T>());
    value
}

#[test]
fn a_kernel_knows_its_name_its_arguments_and_where_it_comes_from() {
    let s = Setup::new();
    let p = built(&s, &IL);
    let k = kernel(p, "required");
    let mut name = [0_u8; 16];
    let mut size = 0;
    ok!(clGetKernelInfo(k, cl::CL_KERNEL_FUNCTION_NAME, 16, name.as_mut_ptr().cast(), &mut size));
    assert_eq!(&name[..size], b"required\0");
    let number = |name| {
        let mut value = 0_u32;
        ok!(clGetKernelInfo(k, name, 4, (&raw mut value).cast(), null_mut()));
        value
    };
    assert_eq!(number(cl::CL_KERNEL_NUM_ARGS), 2);
    assert_eq!(number(cl::CL_KERNEL_REFERENCE_COUNT), 1);
    let handle = |name| {
        let mut value: *mut u8 = null_mut();
        ok!(clGetKernelInfo(k, name, 8, (&raw mut value).cast(), null_mut()));
        value
    };
    assert_eq!(handle(cl::CL_KERNEL_PROGRAM), p.cast());
    assert_eq!(handle(cl::CL_KERNEL_CONTEXT), s.context.cast());
    ok!(clGetKernelInfo(k, cl::CL_KERNEL_ATTRIBUTES, 16, name.as_mut_ptr().cast(), &mut size));
    assert_eq!(&name[..size], b"\0", "attributes are for kernels from source");
    ok!(clReleaseKernel(k));
    ok!(clReleaseProgram(p));
}

#[test]
fn arguments_have_address_spaces_and_qualifiers() {
    let s = Setup::new();
    let p = built(&s, &IL);
    let all = kernel(p, "all");
    let spaces: Vec<u64> = (0..6).map(|n| argument_number(all, n, cl::CL_KERNEL_ARG_ADDRESS_QUALIFIER)).collect();
    let private = cl::CL_KERNEL_ARG_ADDRESS_PRIVATE;
    let expected = [
        cl::CL_KERNEL_ARG_ADDRESS_GLOBAL,
        cl::CL_KERNEL_ARG_ADDRESS_CONSTANT,
        cl::CL_KERNEL_ARG_ADDRESS_LOCAL,
        private,
        private,
        private,
    ];
    assert_eq!(spaces, expected.map(u64::from));
    let access = argument_number(all, 0, cl::CL_KERNEL_ARG_ACCESS_QUALIFIER);
    assert_eq!(access, u64::from(cl::CL_KERNEL_ARG_ACCESS_NONE));
    let qualifiers = |kernel, index| argument_number(kernel, index, cl::CL_KERNEL_ARG_TYPE_QUALIFIER);
    assert_eq!(qualifiers(all, 0), cl::CL_KERNEL_ARG_TYPE_NONE);
    assert_eq!(qualifiers(all, 1), cl::CL_KERNEL_ARG_TYPE_CONST);
    assert_eq!(qualifiers(all, 4), cl::CL_KERNEL_ARG_TYPE_NONE);
    ok!(clReleaseKernel(all));
    ok!(clReleaseProgram(p));
}

#[test]
fn names_and_types_that_the_module_has_are_found() {
    let s = Setup::new();
    let module = crate::sources::assembled(
        "OpCapability Addresses
         OpCapability Kernel
         OpMemoryModel Physical64 OpenCL
         OpEntryPoint Kernel %main \"named\"
         %types = OpString \"kernel_arg_type.named.int*,float4,\"
         %quals = OpString \"kernel_arg_type_qual.named.const volatile,,\"
         OpName %first \"input\"
         %void = OpTypeVoid
         %float = OpTypeFloat 32
         %vector = OpTypeVector %float 4
         %uint = OpTypeInt 32 0
         %pointer = OpTypePointer CrossWorkgroup %uint
         %type = OpTypeFunction %void %pointer %vector
         %main = OpFunction %void None %type
         %first = OpFunctionParameter %pointer
         %second = OpFunctionParameter %vector
         %entry = OpLabel
         OpReturn
         OpFunctionEnd",
    );
    let p = built(&s, &module);
    let k = kernel(p, "named");
    assert_eq!(argument_text(k, 0, cl::CL_KERNEL_ARG_TYPE_NAME), "int*");
    assert_eq!(argument_text(k, 1, cl::CL_KERNEL_ARG_TYPE_NAME), "float4");
    assert_eq!(argument_text(k, 0, cl::CL_KERNEL_ARG_NAME), "input");
    let qualifiers = cl::CL_KERNEL_ARG_TYPE_CONST | cl::CL_KERNEL_ARG_TYPE_VOLATILE;
    assert_eq!(argument_number(k, 0, cl::CL_KERNEL_ARG_TYPE_QUALIFIER), qualifiers);
    let unnamed = call!(clGetKernelArgInfo(k, 1, cl::CL_KERNEL_ARG_NAME, 0, null_mut(), &mut 0));
    assert_eq!(unnamed, cl::CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
    ok!(clReleaseKernel(k));
    ok!(clReleaseProgram(p));
}

#[test]
fn work_group_queries_answer_what_launches_accept() {
    let s = Setup::new();
    let p = built(&s, &IL);
    let required = kernel(p, "required");
    assert_eq!(group::<[usize; 3]>(required, cl::CL_KERNEL_COMPILE_WORK_GROUP_SIZE), [4, 2, 1]);
    let all = kernel(p, "all");
    assert_eq!(group::<[usize; 3]>(all, cl::CL_KERNEL_COMPILE_WORK_GROUP_SIZE), [0, 0, 0]);
    assert!(group::<usize>(all, cl::CL_KERNEL_WORK_GROUP_SIZE) >= 256);
    let multiple: usize = s.device_number(cl::CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE);
    let of_kernel = group::<usize>(all, cl::CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE);
    assert!(
        of_kernel >= 4 && of_kernel.is_multiple_of(multiple),
        "{of_kernel} for a kernel, {multiple} for the device"
    );
    let before: u64 = group(all, cl::CL_KERNEL_LOCAL_MEM_SIZE);
    assert_eq!(call!(clSetKernelArg(all, 2, 1000, null())), cl::CL_SUCCESS);
    assert_eq!(group::<u64>(all, cl::CL_KERNEL_LOCAL_MEM_SIZE), before + 1000);
    let _: u64 = group(all, cl::CL_KERNEL_PRIVATE_MEM_SIZE);
    ok!(clReleaseKernel(all));
    ok!(clReleaseKernel(required));
    ok!(clReleaseProgram(p));
}

#[test]
fn a_clone_has_arguments_of_its_own() {
    let s = Setup::new();
    let p = built(&s, &IL);
    let k = kernel(p, "required");
    let [one, two] = [s.filled(&[1; 64]), s.filled(&[2; 64])];
    let out = s.filled(&[0; 64]);
    assert_eq!([set(k, 0, &out), set(k, 1, &one)], [cl::CL_SUCCESS; 2]);
    let clone = crate::support::create!(clCloneKernel(k));
    assert_eq!(set(clone, 1, &two), cl::CL_SUCCESS);
    let launch = |kernel| {
        let size = [4_usize, 2];
        ok!(clEnqueueNDRangeKernel(s.queue, kernel, 2, null(), size.as_ptr(), null(), 0, null(), null_mut()));
        s.read(out)[0]
    };
    assert_eq!([launch(k), launch(clone), launch(k)], [1, 2, 1]);
    ok!(clReleaseKernel(k));
    assert_eq!(launch(clone), 2, "the clone outlives the kernel");
    ok!(clReleaseKernel(clone));
    for buffer in [one, two, out] {
        ok!(clReleaseMemObject(buffer));
    }
    ok!(clReleaseProgram(p));
}

/// A kernel `k` whose work-groups have four sub-groups.
const FOUR_SUB_GROUPS: &str = "OpCapability Addresses\nOpCapability Kernel\nOpCapability SubgroupDispatch\n\
    OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %k \"k\"\nOpExecutionMode %k SubgroupsPerWorkgroup 4\n\
    %void = OpTypeVoid\n%t = OpTypeFunction %void\n%k = OpFunction %void None %t\n%l = OpLabel\nOpReturn\n\
    OpFunctionEnd\n";

fn sub_groups<T: Default>(kernel: cl::cl_kernel, s: &Setup, name: cl::cl_kernel_sub_group_info, input: &[usize]) -> T {
    let mut value = T::default();
    ok!(clGetKernelSubGroupInfo(
        kernel,
        s.device,
        name,
        size_of_val(input),
        input.as_ptr().cast(),
        size_of::<T>(),
        (&raw mut value).cast(),
        null_mut(),
    ));
    value
}

#[test]
fn sub_groups_are_of_one_size_whatever_the_launch() {
    let s = Setup::new();
    let p = built(&s, &IL);
    let all = kernel(p, "all");
    // The machine's: numbers of 32 bits in a register.
    let size: usize = sub_groups(all, &s, cl::CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, &[1000]);
    assert!([4, 8, 16].contains(&size), "{size}");
    // Gangs may have several of these.
    let preferred: usize = group(all, cl::CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE);
    assert!(preferred >= size && preferred.is_multiple_of(size), "{preferred} {size}");
    let range = [6_usize, 4, 3];
    for dimensions in 1..=3 {
        let local = &range[..dimensions];
        let items = local.iter().product::<usize>();
        let largest: usize = sub_groups(all, &s, cl::CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, local);
        assert_eq!(largest, size.min(items));
        let count: usize = sub_groups(all, &s, cl::CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, local);
        assert_eq!(count, items.div_ceil(size));
    }
    assert_eq!(sub_groups::<[usize; 3]>(all, &s, cl::CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, &[8]), [8 * size, 1, 1]);
    let most: usize = group(all, cl::CL_KERNEL_WORK_GROUP_SIZE);
    let too_many = [most / size + 1];
    assert_eq!(sub_groups::<[usize; 2]>(all, &s, cl::CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, &too_many), [0, 0]);
    assert_eq!(sub_groups::<usize>(all, &s, cl::CL_KERNEL_MAX_NUM_SUB_GROUPS, &[]), most / size);
    assert_eq!(sub_groups::<usize>(all, &s, cl::CL_KERNEL_COMPILE_NUM_SUB_GROUPS, &[]), 0);
    ok!(clReleaseKernel(all));
    ok!(clReleaseProgram(p));
}

#[test]
fn a_required_number_of_sub_groups_is_reported_and_kept() {
    let s = Setup::new();
    let words = oxicl_tests::offline::assemble(FOUR_SUB_GROUPS).unwrap();
    let p = crate::support::create!(clCreateProgramWithIL(s.context, words.as_ptr().cast(), words.len()));
    ok!(clBuildProgram(p, 0, null(), null(), None, null_mut()));
    let k = kernel(p, "k");
    assert_eq!(sub_groups::<usize>(k, &s, cl::CL_KERNEL_COMPILE_NUM_SUB_GROUPS, &[]), 4);
    let [four] = sub_groups::<[usize; 1]>(k, &s, cl::CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, &[4]);
    assert_eq!(four, 4 * sub_groups::<usize>(k, &s, cl::CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, &[1000]));
    assert_eq!(sub_groups::<[usize; 1]>(k, &s, cl::CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, &[5]), [0]);
    let launch = |local: *const usize| {
        let global = [2 * four, 1];
        call!(clEnqueueNDRangeKernel(s.queue, k, 2, null(), global.as_ptr(), local, 0, null(), null_mut()))
    };
    assert_eq!(launch([four / 2, 1].as_ptr()), cl::CL_INVALID_WORK_GROUP_SIZE);
    assert_eq!(launch([four, 1].as_ptr()), cl::CL_SUCCESS);
    assert_eq!(launch(null()), cl::CL_SUCCESS);
    ok!(clFinish(s.queue));
    ok!(clReleaseKernel(k));
    ok!(clReleaseProgram(p));
}
