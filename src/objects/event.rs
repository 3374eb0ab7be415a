use crate::HandleCell;

/// A event.
pub struct Event {
    /// The application's handle.
    pub handle: HandleCell,
}
