//! Which handle type, which error and which context belong to which object.

use std::sync::Arc;

use khronos_headers as cl;
use oxicl_objects::command_buffer::{CommandBuffer, MutableCommand};
use oxicl_objects::context::Context;
use oxicl_objects::device::Device;
use oxicl_objects::event::Event;
use oxicl_objects::kernel::Kernel;
use oxicl_objects::memory::Memory;
use oxicl_objects::platform::Platform;
use oxicl_objects::program::Program;
use oxicl_objects::queue::Queue;
use oxicl_objects::sampler::Sampler;
use oxicl_objects::semaphore::Semaphore;
use oxicl_objects::{ApiError, HandleCell};

use crate::handle::{ApiObject, Slab};

macro_rules! api_objects {
    ($($object:ident, $opaque:ident, $invalid:ident $(, $context:expr)?;)*) => {
        $(impl ApiObject for $object {
            type Opaque = cl::$opaque;
            const INVALID: ApiError = ApiError::$invalid;

            fn cell(&self) -> &HandleCell {
                &self.handle
            }

            $(fn context(object: &Arc<Self>) -> Option<&Arc<Context>> {
                let context: fn(&Arc<Self>) -> &Arc<Context> = $context;
                Some(context(object))
            })?

            fn slab() -> &'static Slab<Self> {
                static SLAB: Slab<$object> = Slab::new();
                &SLAB
            }
        })*
    };
}

api_objects! {
    Platform, _cl_platform_id, InvalidPlatform;
    Device, _cl_device_id, InvalidDevice;
    Context, _cl_context, InvalidContext, |context| context;
    Queue, _cl_command_queue, InvalidCommandQueue, |queue| &queue.context;
    Memory, _cl_mem, InvalidMemObject, |memory| &memory.context;
    Program, _cl_program, InvalidProgram, |program| &program.context;
    Kernel, _cl_kernel, InvalidKernel, |kernel| &kernel.program().context;
    Event, _cl_event, InvalidEvent, |event| event.context();
    CommandBuffer, _cl_command_buffer_khr, InvalidCommandBuffer, |buffer| &buffer.queue.context;
    MutableCommand, _cl_mutable_command_khr, InvalidMutableCommand;
    Sampler, _cl_sampler, InvalidSampler, |sampler| &sampler.context;
    Semaphore, _cl_semaphore_khr, InvalidSemaphore, |semaphore| &semaphore.context;
}
