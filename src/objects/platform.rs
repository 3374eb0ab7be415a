//! The platform: one, with the root devices that it is given.

use std::sync::{Arc, OnceLock};

use khronos_headers as cl;
use oxicl_caps::config::Config;
use oxicl_compiler_client::{COMPILER, Settings};
use oxicl_device::log;

use crate::device::Device;
use crate::{ApiError, HandleCell, InfoValue};

/// The platform.
pub struct Platform {
    /// The application's handle.
    pub handle: HandleCell,
    /// Root devices. The first is the default.
    pub devices: Vec<Arc<Device>>,
}

/// Device types that there are names for.
const DEVICE_TYPES: u64 = cl::CL_DEVICE_TYPE_DEFAULT
    | cl::CL_DEVICE_TYPE_CPU
    | cl::CL_DEVICE_TYPE_GPU
    | cl::CL_DEVICE_TYPE_ACCELERATOR
    | cl::CL_DEVICE_TYPE_CUSTOM;

static PLATFORM: OnceLock<Arc<Platform>> = OnceLock::new();

impl Platform {
    /// The platform of this process, with the root devices that are handed in. The first call counts.
    pub fn with_devices(devices: impl FnOnce() -> Vec<Arc<Device>>) -> &'static Arc<Platform> {
        PLATFORM.get_or_init(|| {
            let config = Config::get();
            config.refused.iter().for_each(|sentence| log(sentence));
            if let Some(cpu) = &config.cpu {
                log(&format!("OXICL_CPU has code generated for {}", cpu.name));
            }
            // Looking at the folder makes it, so only whoever reads the log pays for it.
            if config.log
                && let Some(folder) = &config.cache
                && !oxicl_compiler_client::is_usable(folder)
            {
                log(&format!("the cache folder {} is not used; `oxicl doctor` says why", folder.display()));
            }
            let devices = devices();
            let build = devices.first().map(|device| device.caps.built_version().to_owned()).unwrap_or_default();
            let outside = |block: &mut dyn FnMut()| oxicl_schedule::fork::outside(block);
            oxicl_compiler_client::set_up(Settings { build, outside, ..Settings::default() });
            Arc::new(Platform { handle: HandleCell::new(), devices })
        })
    }

    /// The platform of this process; none before it has devices.
    pub fn get() -> Option<&'static Arc<Platform>> {
        PLATFORM.get()
    }

    /// `clGetPlatformInfo`.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for a query that does not exist.
    pub fn info(&self, name: cl::cl_platform_info) -> Result<InfoValue, ApiError> {
        let caps = self.devices.first().map(|device| device.caps).ok_or(ApiError::DeviceNotFound)?;
        caps.query_platform(name)
            .map(InfoValue::from)
            .ok_or_else(|| ApiError::InvalidValue.because("there is no such query"))
    }

    /// `clUnloadPlatformCompiler`: the compiler process ends, and with it all that it holds; the next build, or the first use of
    /// a kernel that has no code yet, starts another.
    pub fn unload_compiler(&self) {
        self.devices.iter().for_each(|device| device.backend.forget_unwanted());
        COMPILER.unload();
    }

    /// The root devices of some type.
    ///
    /// # Errors
    /// `CL_INVALID_DEVICE_TYPE` if it is none; `CL_DEVICE_NOT_FOUND` if no device is of it.
    pub fn devices_of_type(&self, device_type: cl::cl_device_type) -> Result<Vec<Arc<Device>>, ApiError> {
        let is_type = device_type != 0 && device_type & !DEVICE_TYPES == 0;
        if !is_type && device_type != cl::CL_DEVICE_TYPE_ALL {
            return Err(ApiError::InvalidDeviceType);
        }
        if device_type & (cl::CL_DEVICE_TYPE_CPU | cl::CL_DEVICE_TYPE_DEFAULT) == 0 {
            return Err(ApiError::DeviceNotFound);
        }
        Ok(self.devices.clone())
    }
}

#[cfg(test)]
mod tests {
    use crate::{ApiError, testing};
    use khronos_headers as cl;

    #[test]
    fn devices_are_found_by_type() {
        let count = |device_type| testing::platform().devices_of_type(device_type).map(|devices| devices.len());
        for found in [
            cl::CL_DEVICE_TYPE_ALL,
            cl::CL_DEVICE_TYPE_DEFAULT,
            cl::CL_DEVICE_TYPE_CPU,
            cl::CL_DEVICE_TYPE_CPU | cl::CL_DEVICE_TYPE_GPU,
        ] {
            assert_eq!(count(found), Ok(1), "{found:#x}");
        }
        for absent in [cl::CL_DEVICE_TYPE_GPU, cl::CL_DEVICE_TYPE_ACCELERATOR, cl::CL_DEVICE_TYPE_CUSTOM] {
            assert_eq!(count(absent), Err(ApiError::DeviceNotFound), "{absent:#x}");
        }
        for wrong in [0, 1 << 5, u64::MAX] {
            assert_eq!(count(wrong), Err(ApiError::InvalidDeviceType), "{wrong:#x}");
        }
    }
}
