//! Which handle type and which error belong to which object.

use khronos_headers as cl;
use oxicl_objects::context::Context;
use oxicl_objects::device::Device;
use oxicl_objects::event::Event;
use oxicl_objects::kernel::Kernel;
use oxicl_objects::memory::Memory;
use oxicl_objects::platform::Platform;
use oxicl_objects::program::Program;
use oxicl_objects::queue::Queue;
use oxicl_objects::{ApiError, HandleCell};

use crate::handle::{ApiObject, Slab};

macro_rules! api_objects {
    ($($object:ident, $opaque:ident, $invalid:ident;)*) => {
        $(impl ApiObject for $object {
            type Opaque = cl::$opaque;
            const INVALID: ApiError = ApiError::$invalid;

            fn cell(&self) -> &HandleCell {
                &self.handle
            }

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
    Context, _cl_context, InvalidContext;
    Queue, _cl_command_queue, InvalidCommandQueue;
    Memory, _cl_mem, InvalidMemObject;
    Program, _cl_program, InvalidProgram;
    Kernel, _cl_kernel, InvalidKernel;
    Event, _cl_event, InvalidEvent;
}
