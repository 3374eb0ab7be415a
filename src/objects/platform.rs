use crate::HandleCell;

/// A platform.
pub struct Platform {
    /// The application's handle.
    pub handle: HandleCell,
}
