use crate::HandleCell;

/// A memory object.
pub struct Memory {
    /// The application's handle.
    pub handle: HandleCell,
}
