//! The entry points, one file per object, in the order of the specification.

pub(crate) mod buffer;
pub(crate) mod command_buffer;
pub(crate) mod context;
pub(crate) mod device;
pub(crate) mod event;
pub(crate) mod execute;
pub(crate) mod image;
pub(crate) mod kernel;
pub(crate) mod memory;
pub(crate) mod pipe;
pub(crate) mod platform;
pub(crate) mod program;
pub(crate) mod queue;
pub(crate) mod sampler;
pub(crate) mod semaphore;
pub(crate) mod svm;
pub(crate) mod usm;
