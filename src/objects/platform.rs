//! The platform: one, with one root device.

use std::sync::{Arc, LazyLock};

use crate::device::Device;
use crate::{ApiError, HandleCell, InfoValue};

/// The platform.
pub struct Platform {
    /// The application's handle.
    pub handle: HandleCell,
    /// Root devices.
    pub devices: Vec<Arc<Device>>,
}

impl Platform {
    /// The platform of this process.
    pub fn get() -> &'static Arc<Platform> {
        static PLATFORM: LazyLock<Arc<Platform>> =
            LazyLock::new(|| Arc::new(Platform { handle: HandleCell::new(), devices: Vec::new() }));
        &PLATFORM
    }

    /// `clGetPlatformInfo`.
    pub fn info(&self, name: u32) -> Result<InfoValue, ApiError> {
        match name {
            _ => Err(ApiError::InvalidValue),
        }
    }
}
