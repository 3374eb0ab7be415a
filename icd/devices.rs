//! The devices of the platform.

use std::sync::{Arc, OnceLock};

use oxicl_caps::DeviceCaps;
use oxicl_caps::config::Config;
use oxicl_cpu::CpuBackend;
use oxicl_device::Backend;
use oxicl_objects::device::Device;
use oxicl_objects::platform::Platform;
use oxicl_reference::ReferenceBackend;

/// The platform of this process, with its devices. Every client comes by here first.
pub(crate) fn platform() -> &'static Arc<Platform> {
    static CAPS: OnceLock<DeviceCaps> = OnceLock::new();
    Platform::with_devices(|| {
        let caps = CAPS.get_or_init(|| DeviceCaps::host().of_build(env!("OXICL_BUILD_NAME")));
        let backend: Arc<dyn Backend> =
            if Config::get().reference_device { Arc::new(ReferenceBackend) } else { Arc::new(CpuBackend) };
        vec![Device::root(caps, backend)]
    })
}
