//! Valid handles of every kind, for calls that are wrong in one argument.

use oxicl_benches::kernels;
use oxicl_client::sys::{
    CL_QUEUE_PROFILING_ENABLE, cl_command_queue, cl_context, cl_device_id, cl_event, cl_kernel, cl_mem, cl_platform_id,
    cl_program,
};
use oxicl_client::{Buffer, Context, Event, Kernel, Platform, Program, Queue};

/// Size of the fixture's buffer, in bytes.
pub const BUFFER_BYTES: usize = 4096;

/// One object of each kind. The kernel is `triad(global float *, global const float *, global const float *, float)`
/// with all arguments set; the event is complete.
#[derive(Debug)]
pub struct Fixture {
    /// The platform.
    pub platform: Platform,
    /// A context of its first device.
    pub context: Context,
    /// An in-order queue with profiling.
    pub queue: Queue,
    /// A buffer of 1024 floats.
    pub buffer: Buffer<f32>,
    /// A built program.
    pub program: Program,
    /// Its kernel.
    pub kernel: Kernel,
    /// The event of a launch that is over.
    pub event: Event,
}

impl Fixture {
    /// All of them, or a panic: without them no table can be checked.
    pub fn new() -> Fixture {
        crate::driver();
        Fixture::make().unwrap_or_else(|error| panic!("no fixture: {error}"))
    }

    fn make() -> Result<Fixture, oxicl_client::BuildError> {
        let platform = Platform::first()?;
        let context = Context::new(platform.device()?)?;
        let queue = Queue::new(&context, CL_QUEUE_PROFILING_ENABLE)?;
        let buffer = Buffer::from_slice(&context, &[1.0f32; BUFFER_BYTES / 4])?;
        let program = Program::build(&context, kernels::TRIAD.plain, "")?;
        let kernel = program.kernel("triad")?;
        for index in 0..3 {
            kernel.set_buffer(index, &buffer)?;
        }
        kernel.set(3, 1.0f32)?;
        let event = queue.launch_with_event(&kernel, [1], None)?;
        event.wait()?;
        Ok(Fixture { platform, context, queue, buffer, program, kernel, event })
    }

    /// The platform's handle.
    pub fn platform(&self) -> cl_platform_id {
        self.platform.raw()
    }

    /// The device's handle.
    pub fn device(&self) -> cl_device_id {
        self.context.device().raw()
    }

    /// The context's handle.
    pub fn context(&self) -> cl_context {
        self.context.raw()
    }

    /// The queue's handle.
    pub fn queue(&self) -> cl_command_queue {
        self.queue.raw()
    }

    /// The buffer's handle.
    pub fn buffer(&self) -> cl_mem {
        self.buffer.raw()
    }

    /// The program's handle.
    pub fn program(&self) -> cl_program {
        self.program.raw()
    }

    /// The kernel's handle.
    pub fn kernel(&self) -> cl_kernel {
        self.kernel.raw()
    }

    /// The event's handle.
    pub fn event(&self) -> cl_event {
        self.event.raw()
    }
}

impl Default for Fixture {
    fn default() -> Self {
        Fixture::new()
    }
}
