//! A device for tests of commands that are no kernels.

use std::sync::Arc;

use oxicl_caps::DeviceCaps;
use oxicl_device::{Backend, Executable};
use oxicl_protocol::{BuildFailure, CompileOptions, Stage};
use oxicl_validate::ValidModule;

/// A device that builds nothing: commands here are jobs of the tests.
pub(crate) struct Idle;

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
