//! What tests of this crate have in common.

#[path = "tests/idle/mod.rs"]
mod idle;

use std::sync::Arc;

use oxicl_caps::DeviceCaps;

use crate::context::Context;
use crate::device::Device;
use crate::platform::Platform;
use crate::properties::PropertyList;
use idle::Idle;

/// The platform with such a device.
pub(crate) fn platform() -> &'static Arc<Platform> {
    Platform::with_devices(|| vec![Device::root(DeviceCaps::host(), Arc::new(Idle))])
}

/// A context with the root device.
pub(crate) fn context() -> Arc<Context> {
    Context::create(PropertyList::absent(), |_| true, platform().devices.clone(), None).unwrap()
}
