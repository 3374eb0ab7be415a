//! Platforms.

use core::ffi::{c_char, c_void};

use crate::handle::cl_platform_id;
use crate::scalar::{cl_int, cl_uint};

abi! {
    types {
        cl_platform_info = cl_uint;
        cl_khronos_vendor_id = cl_uint;
    }
    constants {
        cl_platform_info {
            CL_PLATFORM_PROFILE = 0x0900;
            CL_PLATFORM_VERSION = 0x0901;
            CL_PLATFORM_NAME = 0x0902;
            CL_PLATFORM_VENDOR = 0x0903;
            CL_PLATFORM_EXTENSIONS = 0x0904;
            CL_PLATFORM_HOST_TIMER_RESOLUTION = 0x0905;
            CL_PLATFORM_NUMERIC_VERSION = 0x0906;
            CL_PLATFORM_EXTENSIONS_WITH_VERSION = 0x0907;
        }
        cl_khronos_vendor_id {
            CL_KHRONOS_VENDOR_ID_CODEPLAY = 0x10004;
            CL_KHRONOS_VENDOR_ID_POCL = 0x10006;
        }
    }
    functions {
        clGetPlatformIDs(num_entries: cl_uint, platforms: *mut cl_platform_id, num_platforms: *mut cl_uint) -> cl_int;
        clGetPlatformInfo(
            platform: cl_platform_id, param_name: cl_platform_info, param_value_size: usize, param_value: *mut c_void,
            param_value_size_ret: *mut usize,
        ) -> cl_int;
        clUnloadCompiler() -> cl_int;
        clGetExtensionFunctionAddress(func_name: *const c_char) -> *mut c_void;
        clUnloadPlatformCompiler(platform: cl_platform_id) -> cl_int;
        clGetExtensionFunctionAddressForPlatform(platform: cl_platform_id, func_name: *const c_char) -> *mut c_void;
    }
}
