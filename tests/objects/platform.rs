//! Platforms.

use std::ffi::CString;
use std::ptr::{null, null_mut};

use khronos_headers as cl;

use crate::support::{Setup, call, ok, table};

/// The platform.
pub fn platform() -> cl::cl_platform_id {
    let mut platform = null_mut();
    ok!(clGetPlatformIDs(1, &mut platform, null_mut()));
    platform
}

/// A string that the platform answers.
fn text(name: cl::cl_platform_info) -> String {
    let mut size = 0;
    ok!(clGetPlatformInfo(platform(), name, 0, null_mut(), &mut size));
    let mut bytes = vec![0u8; size];
    ok!(clGetPlatformInfo(platform(), name, size, bytes.as_mut_ptr().cast(), null_mut()));
    assert_eq!(bytes.pop(), Some(0), "the string ends with a zero");
    String::from_utf8(bytes).unwrap()
}

#[test]
fn errors_of_platform_queries() {
    let setup = Setup::new();
    let mut memory = [0u8; 3];
    table! {
        "context as platform" => CL_INVALID_PLATFORM,
            call!(clGetPlatformInfo(setup.context.cast(), cl::CL_PLATFORM_NAME, 0, null_mut(), null_mut()));
        "no such query" => CL_INVALID_VALUE, call!(clGetPlatformInfo(platform(), 1, 0, null_mut(), null_mut()));
        "memory too small" => CL_INVALID_VALUE,
            call!(clGetPlatformInfo(platform(), cl::CL_PLATFORM_NAME, 3, memory.as_mut_ptr().cast(), null_mut()));
        "context as platform of the compiler" => CL_INVALID_PLATFORM,
            call!(clUnloadPlatformCompiler(setup.context.cast()));
        "unloading the compiler" => CL_SUCCESS, call!(clUnloadPlatformCompiler(platform()));
    }
}

#[test]
fn strings_say_what_the_platform_is() {
    assert_eq!(text(cl::CL_PLATFORM_PROFILE), "FULL_PROFILE");
    assert!(text(cl::CL_PLATFORM_VERSION).starts_with("OpenCL 3.1 "));
    let extensions = text(cl::CL_PLATFORM_EXTENSIONS);
    assert!(extensions.split(' ').any(|name| name == "cl_khr_icd"), "{extensions}");
    assert!(!text(cl::CL_PLATFORM_ICD_SUFFIX_KHR).is_empty());
}

#[test]
fn extension_functions_are_found_by_name() {
    let find = |name: &str| {
        let name = CString::new(name).unwrap();
        call!(clGetExtensionFunctionAddressForPlatform(platform(), name.as_ptr()))
    };
    assert!(!find("clCreateCommandQueueWithPropertiesKHR").is_null());
    assert!(find("clNoSuchFunctionKHR").is_null());
    assert!(call!(clGetExtensionFunctionAddressForPlatform(null_mut(), null())).is_null());
}
