use crate::HandleCell;

/// A kernel.
pub struct Kernel {
    /// The application's handle.
    pub handle: HandleCell,
}
