use crate::HandleCell;

/// A program.
pub struct Program {
    /// The application's handle.
    pub handle: HandleCell,
}
