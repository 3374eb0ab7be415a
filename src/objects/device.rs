use crate::HandleCell;

/// A device.
pub struct Device {
    /// The application's handle.
    pub handle: HandleCell,
}
