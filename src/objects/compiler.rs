//! The compiler of this process, which all devices share.

use std::sync::LazyLock;

use oxicl_compiler_client::{Compiler, Settings};

use crate::platform::Platform;

/// The compiler of this process. Nothing is started before its first request.
pub static COMPILER: LazyLock<Compiler> = LazyLock::new(|| {
    let device = Platform::get().devices.first();
    let build = device.map(|device| device.caps.built_version().to_owned()).unwrap_or_default();
    Compiler::new(Settings { build, outside: |block| oxicl_schedule::fork::outside(block), ..Settings::default() })
});
