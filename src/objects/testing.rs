//! What tests of this crate have in common.

use std::sync::Arc;

use oxicl_caps::DeviceCaps;
use oxicl_device::{Backend, Executable};
use oxicl_protocol::{BuildFailure, CompileOptions, Stage};
use oxicl_validate::ValidModule;

use crate::context::Context;
use crate::device::Device;
use crate::platform::Platform;
use crate::properties::PropertyList;

/// A device that builds nothing: commands here are jobs of the tests.
struct Idle;

impl Backend for Idle {
    fn build(
        &self,
        _: &Arc<ValidModule>,
        _: &DeviceCaps,
        _: &CompileOptions,
    ) -> Result<Arc<dyn Executable>, BuildFailure> {
        Err(BuildFailure::new(Stage::Codegen, "there is no code for this device"))
    }
}

/// The platform with such a device.
pub(crate) fn platform() -> &'static Arc<Platform> {
    Platform::with_devices(|| vec![Device::root(DeviceCaps::host(), Arc::new(Idle))])
}

/// A context with the root device.
pub(crate) fn context() -> Arc<Context> {
    Context::create(PropertyList::absent(), |_| true, platform().devices.clone(), None).unwrap()
}
