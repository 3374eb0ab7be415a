use crate::HandleCell;

/// A queue.
pub struct Queue {
    /// The application's handle.
    pub handle: HandleCell,
}
