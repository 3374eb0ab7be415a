//! Command buffers: commands that are recorded once and enqueued many times.
//!
//! Recording checks a command and makes of it what a queue would make of it, an [`Action`](crate::command::Action) that can
//! be done any number of times. Finalising settles which commands wait for which. An enqueue is then one command of the
//! queue, whose event carries the execution of all of them; what it executes is shared and never changes, so a command
//! buffer may run several times at once, and be updated or released meanwhile.
//!
//! A command buffer records for one queue: `cl_khr_command_buffer_multi_device` is not offered.

mod dispatch;
mod enqueue;
mod info;
mod order;
mod record;
#[cfg(test)]
mod tests;
mod update;

use std::sync::{Arc, Weak};

use khronos_headers as cl;
use oxicl_device::Pending;
use parking_lot::Mutex;

use crate::command::Action;
use crate::properties::PropertyList;
use crate::queue::Queue;
use crate::{ApiError, HandleCell};

use dispatch::Dispatch;
use order::{Order, Sequence};

pub use record::NdRangeCommand;
pub use update::{Setting, Update};

/// A command buffer.
pub struct CommandBuffer {
    /// The application's handle.
    pub handle: HandleCell,
    /// The queue that it was made for.
    pub queue: Arc<Queue>,
    /// As the application gave it.
    properties: PropertyList,
    state: Mutex<State>,
}

/// What recording, finalising and updating change.
#[derive(Default)]
struct State {
    commands: Vec<Recorded>,
    sequence: Sequence,
    /// What an enqueue executes, once the command buffer is finalised.
    graph: Option<Arc<Graph>>,
    /// Whether nothing is missing to run it, once it is finalised.
    complete: bool,
}

/// A recorded command.
struct Recorded {
    /// Nothing while arguments of a launch are missing.
    action: Action,
    /// For a launch of which the application has a handle: what the handle may ask about and change.
    mutable: Option<(Arc<MutableCommand>, Dispatch)>,
}

/// The commands of a finalised command buffer.
#[derive(Clone)]
pub struct Graph {
    pub(crate) commands: Vec<Action>,
    pub(crate) order: Arc<Order>,
}

/// A recorded command that can be asked about and updated. It ends with its command buffer.
pub struct MutableCommand {
    /// The application's handle.
    pub handle: HandleCell,
    buffer: Weak<CommandBuffer>,
    index: usize,
}

/// Flags of command buffers that are supported.
const SUPPORTED_FLAGS: u64 = cl::CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR | cl::CL_COMMAND_BUFFER_MUTABLE_KHR;
/// Every flag that there is.
const KNOWN_FLAGS: u64 = SUPPORTED_FLAGS | cl::CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR;
/// Every promise that there is, of a command buffer and of a command.
const KNOWN_ASSERTS: u64 = cl::CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR;

impl CommandBuffer {
    /// The names in the property list of `clCreateCommandBufferKHR`.
    pub const PROPERTIES: &'static [u64] =
        &[cl::CL_COMMAND_BUFFER_FLAGS_KHR, cl::CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR];

    /// `clCreateCommandBufferKHR` for one queue.
    ///
    /// # Errors
    /// "CL_INVALID_VALUE if values specified in properties are not valid, or if the same property name is specified more
    /// than once"; "CL_INVALID_PROPERTY if values specified in properties are valid but are not supported".
    pub fn create(queue: &Arc<Queue>, properties: PropertyList) -> Result<Arc<CommandBuffer>, ApiError> {
        properties.check(Self::PROPERTIES, ApiError::InvalidValue)?;
        let flags = properties.get(cl::CL_COMMAND_BUFFER_FLAGS_KHR).unwrap_or(0);
        let asserts = properties.get(cl::CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR).unwrap_or(0);
        if flags & !KNOWN_FLAGS != 0 || asserts & !KNOWN_ASSERTS != 0 {
            return Err(ApiError::InvalidValue);
        }
        if flags & !SUPPORTED_FLAGS != 0 {
            return Err(ApiError::InvalidProperty);
        }
        Ok(Arc::new(CommandBuffer {
            handle: HandleCell::new(),
            queue: Arc::clone(queue),
            properties,
            state: Mutex::default(),
        }))
    }

    /// Whether its commands may be updated.
    fn is_mutable(&self) -> bool {
        let flags = self.properties.get(cl::CL_COMMAND_BUFFER_FLAGS_KHR).unwrap_or(0);
        flags & cl::CL_COMMAND_BUFFER_MUTABLE_KHR != 0
    }

    /// What is promised of all its launches.
    fn asserts(&self) -> u64 {
        self.properties.get(cl::CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR).unwrap_or(0)
    }
}

impl State {
    /// Looks whether all arguments of all launches are set.
    fn note_complete(&mut self) {
        let mut dispatches = self.commands.iter().filter_map(|command| command.mutable.as_ref());
        self.complete = dispatches.all(|(_, dispatch)| dispatch.is_complete());
    }
}

impl Graph {
    /// The code that it has to wait for.
    pub(crate) fn pending(&self) -> impl Iterator<Item = &Arc<dyn Pending>> {
        self.commands.iter().filter_map(|action| match action {
            Action::Launch(_, code) => Some(code),
            _ => None,
        })
    }

    /// How long it will take, in nanoseconds on one thread; what is long anyway is not counted to its end.
    pub(crate) fn expected_nanoseconds(&self) -> u64 {
        const LONG: u64 = 1_000_000;
        let mut sum = 0u64;
        for action in &self.commands {
            sum = sum.saturating_add(action.expected_nanoseconds());
            if sum > LONG {
                break;
            }
        }
        sum
    }
}
