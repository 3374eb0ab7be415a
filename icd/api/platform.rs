//! Platforms, and functions by name.

use std::ffi::{c_char, c_void};
use std::ptr::null_mut;
use std::sync::Arc;

use khronos_headers::{cl_platform_id, cl_platform_info, cl_uint};
use oxicl_objects::platform::Platform;
use oxicl_objects::{ApiError, InfoValue};

use crate::call::Call;
use crate::entry::entries;
use crate::{devices, dispatch, handle};

/// `clGetPlatformIDs` and `clIcdGetPlatformIDsKHR`.
fn platform_ids(
    call: &Call,
    num_entries: cl_uint,
    platforms: *mut cl_platform_id,
    num_platforms: *mut cl_uint,
) -> Result<(), ApiError> {
    // "CL_INVALID_VALUE if num_entries is equal to zero and platforms is not NULL, or if both are NULL."
    if (num_entries == 0 && !platforms.is_null()) || (platforms.is_null() && num_platforms.is_null()) {
        return Err(ApiError::InvalidValue.because("the list and the count leave no place for an answer"));
    }
    let platform = handle::handle_of(devices::platform())?.as_opaque();
    call.write_array(platforms, num_entries as usize, &[platform]);
    call.write(num_platforms, 1);
    Ok(())
}

/// The platform behind a handle.
pub(crate) fn platform(call: &Call, handle: cl_platform_id) -> Result<Arc<Platform>, ApiError> {
    call.object::<Platform>(handle)
}

/// An entry point by name, null if there is none.
pub(crate) fn function(call: &Call, name: *const c_char) -> *mut c_void {
    let name = call.c_str(name).and_then(|name| name.to_str().ok());
    name.and_then(dispatch::find).unwrap_or(null_mut())
}

entries! {
    slots {
        status fn clGetPlatformInfo(
            call, platform: cl_platform_id, param_name: cl_platform_info, param_value_size: usize,
            param_value: *mut c_void, param_value_size_ret: *mut usize,
        ) {
            let platform = self::platform(call, platform)?;
            let value: InfoValue = platform.info(param_name)?;
            call.info(&platform, value, param_value_size, param_value, param_value_size_ret)
        }

        value fn clGetExtensionFunctionAddress(call, func_name: *const c_char) -> *mut c_void {
            function(call, func_name)
        }

        status fn clUnloadPlatformCompiler(call, platform: cl_platform_id) {
            self::platform(call, platform)?.unload_compiler();
            Ok(())
        }

        value fn clGetExtensionFunctionAddressForPlatform(
            call, platform: cl_platform_id, func_name: *const c_char,
        ) -> *mut c_void {
            if self::platform(call, platform).is_err() { null_mut() } else { function(call, func_name) }
        }
    }

    // The first two have slots that hold the mark of the second ICD interface instead.
    others {
        status fn clGetPlatformIDs(
            call, num_entries: cl_uint, platforms: *mut cl_platform_id, num_platforms: *mut cl_uint,
        ) {
            platform_ids(call, num_entries, platforms, num_platforms)
        }

        status fn clUnloadCompiler(_call) {
            devices::platform().unload_compiler();
            Ok(())
        }

        value fn clIcdGetFunctionAddressForPlatformKHR(
            call, platform: cl_platform_id, func_name: *const c_char,
        ) -> *mut c_void {
            if self::platform(call, platform).is_err() { null_mut() } else { function(call, func_name) }
        }

        status fn clIcdSetPlatformDispatchDataKHR(call, platform: cl_platform_id, dispatch_data: *mut c_void) {
            self::platform(call, platform)?;
            handle::set_dispatch_data(dispatch_data);
            Ok(())
        }
    }

    aliases {
        clIcdGetPlatformIDsKHR = clGetPlatformIDs;
    }
}
