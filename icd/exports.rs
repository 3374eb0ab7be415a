//! The symbols that the library exports: those through which a loader finds everything else.
//!
//! They are thin functions of their own. If the table held an exported symbol, the dynamic linker could bind it to the
//! loader's function of the same name, which would call itself through our table.
#![allow(unsafe_code, reason = "exports C symbols and calls C functions of this library")]
#![allow(non_snake_case, reason = "the C names")]

use std::ffi::{c_char, c_void};

use khronos_headers::{cl_int, cl_platform_id, cl_platform_info, cl_uint};

use crate::api::platform;

#[unsafe(no_mangle)]
unsafe extern "C" fn clGetExtensionFunctionAddress(func_name: *const c_char) -> *mut c_void {
    // SAFETY: the caller's contract is that of the function called.
    unsafe { platform::clGetExtensionFunctionAddress(func_name) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clGetPlatformInfo(
    platform: cl_platform_id,
    param_name: cl_platform_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> cl_int {
    // SAFETY: the caller's contract is that of the function called.
    unsafe { platform::clGetPlatformInfo(platform, param_name, param_value_size, param_value, param_value_size_ret) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clIcdGetPlatformIDsKHR(
    num_entries: cl_uint,
    platforms: *mut cl_platform_id,
    num_platforms: *mut cl_uint,
) -> cl_int {
    // SAFETY: the caller's contract is that of the function called.
    unsafe { platform::clGetPlatformIDs(num_entries, platforms, num_platforms) }
}
