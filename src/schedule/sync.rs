//! The synchronisation primitives that the lock-free parts are built on, named in one place: the model checker's test
//! compiles the same files against its own.

pub(crate) use parking_lot::Mutex;
pub(crate) use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
