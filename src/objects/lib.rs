//! The OpenCL objects and every rule of the API that can be said without a C pointer.
//!
//! - **Takes**: safe types from `icd`: other objects as `Arc`, flags as integers, data as slices.
//! - **Gives**: objects in `Arc`s, or an [`ApiError`] that is the error code of the specification.
//! - **Never**: touches a C pointer of the API, links LLVM, or holds a literal of what the device can do (that is `caps`).
//! - **Spec**: OpenCL API, the platform layer and the runtime; each check stands under its rule in our own words.
//!
//! Lock ranks: command buffer, then queue, then event, then memory, then pool. A lock of a lower rank is never taken
//! while one of a higher rank is held.

/// What one enqueued command does.
pub mod command;
/// Command buffers: commands that are recorded once and enqueued many times.
pub mod command_buffer;
/// Contexts.
pub mod context;
/// Devices and sub-devices.
pub mod device;
/// Events: status, wait lists, callbacks, profiling.
pub mod event;
/// The link from an object to the handle that the application holds.
pub mod handle;
/// What an info query answers.
pub mod info;
/// Kernels and their arguments.
pub mod kernel;
/// Buffers, sub-buffers, images, shared virtual memory, mapping, and the copy and fill engines.
pub mod memory;
/// Native kernels.
pub mod native;
/// The rules for index spaces.
pub mod ndrange;
/// Answers for pipes, which the device does not have.
pub mod pipe;
/// The platform.
pub mod platform;
/// Programs.
pub mod program;
/// Property lists, as the application gave them.
pub mod properties;
/// Command queues.
pub mod queue;
/// Samplers.
pub mod sampler;
/// Semaphores.
pub mod semaphore;
mod surroundings;
#[cfg(test)]
mod testing;

pub use oxicl_device::ApiError;

pub use handle::{HandleCell, HandleSlot};
pub use info::InfoValue;
