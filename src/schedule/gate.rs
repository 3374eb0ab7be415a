//! What a command waits for, as one counter.

use super::sync::{AtomicU32, Ordering};

/// Set while the command is held back: it was enqueued, but not flushed.
const HELD: u32 = 1;
/// One blocker.
const BLOCKER: u32 = 2;

/// How far a gate is from open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateState {
    /// Something that it waits for has not finished.
    Blocked,
    /// Nothing blocks it, but nobody flushed it.
    Held,
    /// Open: somebody has started, or is about to start, what it guards.
    Open,
}

/// Counts the blockers of a command. Exactly one caller is told that it opened the gate; that caller starts the
/// command.
///
/// A new gate is held and has one blocker, the enqueue itself, which [`unblock`](Gate::unblock) removes when the
/// command is complete.
#[derive(Debug)]
pub struct Gate(AtomicU32);

impl Default for Gate {
    fn default() -> Self {
        Gate::new()
    }
}

impl Gate {
    /// A held gate with one blocker.
    pub fn new() -> Self {
        Gate(AtomicU32::new(HELD | BLOCKER))
    }

    /// Adds a blocker. Only while the caller knows of another blocker: an open gate never closes.
    pub fn block(&self) {
        self.0.fetch_add(BLOCKER, Ordering::Relaxed);
    }

    /// Removes a blocker; true if that opened the gate.
    #[must_use]
    pub fn unblock(&self) -> bool {
        // Release: what the blocker did is seen by whoever opens; acquire: by us, if it is us.
        self.0.fetch_sub(BLOCKER, Ordering::AcqRel) == BLOCKER
    }

    /// Lets the command go when nothing blocks it; true if that opened the gate.
    #[must_use]
    pub fn release(&self) -> bool {
        self.0.fetch_and(!HELD, Ordering::AcqRel) == HELD
    }

    /// Opens a gate that is held and not blocked; true if this call did. This is how a waiting thread takes a command
    /// that nobody flushed.
    #[must_use]
    pub fn take(&self) -> bool {
        self.0.compare_exchange(HELD, 0, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// A snapshot.
    pub fn state(&self) -> GateState {
        match self.0.load(Ordering::Acquire) {
            0 => GateState::Open,
            HELD => GateState::Held,
            _ => GateState::Blocked,
        }
    }

    /// Whether it is held back for want of a flush.
    pub fn is_held(&self) -> bool {
        self.0.load(Ordering::Relaxed) & HELD != 0
    }
}
