//! The link from an object to the handle that the application holds.
//!
//! Handles belong to `icd`: they are C structs that a loader looks into. An object knows its handle only as a
//! [`HandleSlot`], for two reasons: queries answer with handles of related objects, and a handle must become invalid
//! when its object is gone.

use std::sync::OnceLock;

/// A handle as its object sees it.
pub trait HandleSlot: Sync {
    /// The handle's address, as the application has it.
    fn address(&self) -> usize;
    /// References that the application holds.
    fn reference_count(&self) -> u32;
    /// The object is being dropped: the handle becomes invalid.
    fn object_dropped(&self);
}

/// The field `handle` of every object. Empty until `icd` gives the object a handle; objects that the application never
/// sees (such as the event of a command enqueued without one) never get one.
#[derive(Default)]
pub struct HandleCell(OnceLock<&'static dyn HandleSlot>);

impl HandleCell {
    /// A cell without a handle.
    pub const fn new() -> Self {
        HandleCell(OnceLock::new())
    }

    /// The handle, if the object has one.
    pub fn get(&self) -> Option<&'static dyn HandleSlot> {
        self.0.get().copied()
    }

    /// The handle; `make` makes it if there is none yet. Called by `icd` only.
    pub fn get_or_make(&self, make: impl FnOnce() -> &'static dyn HandleSlot) -> &'static dyn HandleSlot {
        *self.0.get_or_init(make)
    }
}

impl std::fmt::Debug for HandleCell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.get() {
            Some(slot) => write!(f, "handle {:#x}", slot.address()),
            None => f.write_str("no handle"),
        }
    }
}

impl Drop for HandleCell {
    fn drop(&mut self) {
        if let Some(slot) = self.get() {
            slot.object_dropped();
        }
    }
}
