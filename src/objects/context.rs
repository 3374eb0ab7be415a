use crate::HandleCell;

/// A context.
pub struct Context {
    /// The application's handle.
    pub handle: HandleCell,
}
