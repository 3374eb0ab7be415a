//! What tests of this crate have in common.

use std::sync::Arc;

use crate::context::Context;
use crate::platform::Platform;
use crate::properties::PropertyList;

/// A context with the root device.
pub(crate) fn context() -> Arc<Context> {
    Context::create(PropertyList::absent(), |_| true, Platform::get().devices.clone(), None).unwrap()
}
