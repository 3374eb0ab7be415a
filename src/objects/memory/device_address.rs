//! Device addresses of buffers (`cl_ext_buffer_device_address`): which buffer a pointer that a kernel gets belongs to.
//!
//! Every buffer has one address for all devices and its whole life. A buffer that was created with an address to ask for
//! is registered, so that a launch that is given a pointer into it keeps the buffer.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use parking_lot::RwLock;

use super::Memory;

/// The buffers of a context whose addresses the application may ask for, by address and a number that no other living
/// buffer has: several may lie on the same memory of the application.
#[derive(Default)]
pub struct DeviceAddresses(RwLock<BTreeMap<(usize, usize), Weak<Memory>>>);

impl DeviceAddresses {
    /// Registers a buffer.
    pub(super) fn add(&self, buffer: &Arc<Memory>) {
        self.0.write().insert((buffer.address(), buffer.identity()), Arc::downgrade(buffer));
    }

    /// Forgets a buffer, which is being dropped.
    pub(super) fn remove(&self, buffer: &Memory) {
        self.0.write().remove(&(buffer.address(), buffer.identity()));
    }

    /// The buffer that an address lies in: of those that begin nearest before it, one that reaches so far.
    pub(crate) fn find(&self, address: usize) -> Option<Arc<Memory>> {
        let buffers = self.0.read();
        let ((start, _), _) = buffers.range(..=(address, usize::MAX)).next_back()?;
        let same_start = buffers.range((*start, 0)..=(*start, usize::MAX));
        same_start.filter_map(|(_, buffer)| buffer.upgrade()).find(|buffer| address - start < buffer.size())
    }
}
