//! `cl_khr_icd`: the contract with the loader.

use core::ffi::{c_char, c_void};

use crate::handle::cl_platform_id;
use crate::platform::cl_platform_info;
use crate::scalar::{cl_int, cl_uint};

abi! {
    constants {
        cl_platform_info {
            CL_PLATFORM_ICD_SUFFIX_KHR = 0x0920;
        }
        cl_int {
            CL_PLATFORM_NOT_FOUND_KHR = -1001;
        }
        // cl_khr_icd_unloadable
        cl_platform_info {
            CL_PLATFORM_UNLOADABLE_KHR = 0x0921;
        }
    }
    functions {
        clIcdGetPlatformIDsKHR(
            num_entries: cl_uint, platforms: *mut cl_platform_id, num_platforms: *mut cl_uint,
        ) -> cl_int;
        clIcdGetFunctionAddressForPlatformKHR(platform: cl_platform_id, func_name: *const c_char) -> *mut c_void;
        clIcdSetPlatformDispatchDataKHR(platform: cl_platform_id, dispatch_data: *mut c_void) -> cl_int;
    }
}
