//! A command buffer and a kernel in the hands of a test.
#![allow(dead_code, reason = "shared among suites that each need a part")]

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::LazyLock;

use khronos_headers as cl;
use oxicl_tests::offline::{Level, compile};

use crate::support::{Setup, call, create, extension, ok};

/// `data[id] = data[id] * factor + summand`, which shows in which order launches came.
const SOURCE: &str = "kernel void step(global int *data, int factor, int summand) {
    data[get_global_id(0)] = data[get_global_id(0)] * factor + summand;
}
kernel void sizes(global int *data) {
    data[get_global_linear_id()] = 100 * get_local_size(0) + get_num_groups(0);
}
kernel void say(int number) { printf(\"number %d\\n\", number); }
";

/// A built program.
pub struct Kernels {
    program: cl::cl_program,
}

impl Kernels {
    pub fn new(setup: &Setup) -> Kernels {
        static MODULE: LazyLock<Vec<u8>> = LazyLock::new(|| compile(SOURCE, Level::Plain).expect("clang compiles it"));
        let program = create!(clCreateProgramWithIL(setup.context, MODULE.as_ptr().cast(), MODULE.len()));
        ok!(clBuildProgram(program, 0, null(), null(), None, null_mut()));
        Kernels { program }
    }

    /// A new kernel.
    pub fn kernel(&self, name: &std::ffi::CStr) -> cl::cl_kernel {
        create!(clCreateKernel(self.program, name.as_ptr()))
    }

    /// The kernel `step` with all arguments set.
    pub fn step(&self, data: cl::cl_mem, factor: i32, summand: i32) -> cl::cl_kernel {
        let kernel = self.kernel(c"step");
        set(kernel, 0, &data);
        set(kernel, 1, &factor);
        set(kernel, 2, &summand);
        kernel
    }
}

impl Drop for Kernels {
    fn drop(&mut self) {
        call!(clReleaseProgram(self.program));
    }
}

/// Sets an argument.
pub fn set<T>(kernel: cl::cl_kernel, index: u32, value: &T) {
    ok!(clSetKernelArg(kernel, index, size_of::<T>(), std::ptr::from_ref(value).cast()));
}

/// An argument for an update.
pub fn argument<T>(index: u32, value: &T) -> cl::cl_mutable_dispatch_arg_khr {
    let arg_value: *const c_void = std::ptr::from_ref(value).cast();
    cl::cl_mutable_dispatch_arg_khr { arg_index: index, arg_size: size_of::<T>(), arg_value }
}

/// An update that changes nothing.
pub fn no_change(command: cl::cl_mutable_command_khr) -> cl::cl_mutable_dispatch_config_khr {
    cl::cl_mutable_dispatch_config_khr {
        command,
        num_args: 0,
        num_svm_args: 0,
        num_exec_infos: 0,
        work_dim: 0,
        arg_list: null(),
        arg_svm_list: null(),
        exec_info_list: null(),
        global_work_offset: null(),
        global_work_size: null(),
        local_work_size: null(),
    }
}

/// An update of arguments.
pub fn with_arguments(
    command: cl::cl_mutable_command_khr,
    arguments: &[cl::cl_mutable_dispatch_arg_khr],
) -> cl::cl_mutable_dispatch_config_khr {
    let num_args = arguments.len() as cl::cl_uint;
    cl::cl_mutable_dispatch_config_khr { num_args, arg_list: arguments.as_ptr(), ..no_change(command) }
}

/// A command buffer.
pub struct Recording {
    pub handle: cl::cl_command_buffer_khr,
}

/// A list of synchronisation points, null if it is empty.
fn list<T>(points: &[T]) -> (cl::cl_uint, *const T) {
    (points.len() as cl::cl_uint, if points.is_empty() { null() } else { points.as_ptr() })
}

macro_rules! record {
    ($self:ident, $waits:ident, $name:ident($($argument:expr),*)) => {{
        let (count, points) = list($waits);
        let mut point = u32::MAX;
        let code = extension!($name($self.handle, null_mut(), null(), $($argument,)* count, points, &mut point, null_mut()));
        assert_eq!(code, cl::CL_SUCCESS, stringify!($name));
        point
    }};
}

impl Recording {
    /// For a queue, with a property list that ends with a zero, or none.
    pub fn with(queue: cl::cl_command_queue, properties: &[cl::cl_command_buffer_properties_khr]) -> Recording {
        let mut code = 1;
        let (_, properties) = list(properties);
        let handle = extension!(clCreateCommandBufferKHR(1, &queue, properties, &mut code));
        assert_eq!(code, cl::CL_SUCCESS);
        assert!(!handle.is_null());
        Recording { handle }
    }

    pub fn new(queue: cl::cl_command_queue) -> Recording {
        Recording::with(queue, &[])
    }

    /// One whose launches can be updated.
    pub fn mutable(queue: cl::cl_command_queue) -> Recording {
        let flags = cl::CL_COMMAND_BUFFER_MUTABLE_KHR | cl::CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR;
        Recording::with(queue, &[cl::CL_COMMAND_BUFFER_FLAGS_KHR, flags, 0])
    }

    pub fn fill(&self, buffer: cl::cl_mem, pattern: i32, size: usize, waits: &[u32]) -> u32 {
        let pointer: *const c_void = (&raw const pattern).cast();
        record!(self, waits, clCommandFillBufferKHR(buffer, pointer, size_of::<i32>(), 0, size))
    }

    pub fn copy(&self, from: cl::cl_mem, to: cl::cl_mem, size: usize, waits: &[u32]) -> u32 {
        record!(self, waits, clCommandCopyBufferKHR(from, to, 0, 0, size))
    }

    pub fn barrier(&self, waits: &[u32]) -> u32 {
        record!(self, waits, clCommandBarrierWithWaitListKHR())
    }

    pub fn launch(&self, kernel: cl::cl_kernel, items: usize, waits: &[u32]) -> u32 {
        record!(self, waits, clCommandNDRangeKernelKHR(kernel, 1, null(), &items, null()))
    }

    /// A launch whose handle is wanted; with a property list that ends with a zero, or none.
    pub fn handle(
        &self,
        kernel: cl::cl_kernel,
        properties: &[cl::cl_command_properties_khr],
        global: &[usize],
        local: Option<&[usize]>,
    ) -> cl::cl_mutable_command_khr {
        let (mut command, mut point) = (null_mut(), 0);
        let (_, properties) = list(properties);
        let code = extension!(clCommandNDRangeKernelKHR(
            self.handle,
            null_mut(),
            properties,
            kernel,
            global.len() as cl::cl_uint,
            null(),
            global.as_ptr(),
            local.map_or(null(), <[usize]>::as_ptr),
            0,
            null(),
            &mut point,
            &mut command,
        ));
        assert_eq!(code, cl::CL_SUCCESS);
        assert!(!command.is_null() && point != 0);
        command
    }

    pub fn finalize(&self) {
        assert_eq!(extension!(clFinalizeCommandBufferKHR(self.handle)), cl::CL_SUCCESS);
    }

    /// Enqueues it to its own queue; the code.
    pub fn enqueue_code(&self) -> cl::cl_int {
        extension!(clEnqueueCommandBufferKHR(0, null_mut(), self.handle, 0, null(), null_mut()))
    }

    /// Enqueues it to its own queue.
    pub fn enqueue(&self) {
        assert_eq!(self.enqueue_code(), cl::CL_SUCCESS);
    }

    /// Enqueues it to another queue, behind events; its event.
    pub fn enqueue_to(&self, queue: cl::cl_command_queue, waits: &[cl::cl_event]) -> cl::cl_event {
        let (count, events) = list(waits);
        let (mut queue, mut event) = (queue, null_mut());
        let code = extension!(clEnqueueCommandBufferKHR(1, &mut queue, self.handle, count, events, &mut event));
        assert_eq!(code, cl::CL_SUCCESS);
        event
    }

    /// `clUpdateMutableCommandsKHR` with these; the code.
    pub fn update(&self, updates: &[cl::cl_mutable_dispatch_config_khr]) -> cl::cl_int {
        let types = vec![cl::CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR; updates.len()];
        let mut configs: Vec<*const c_void> = updates.iter().map(|update| std::ptr::from_ref(update).cast()).collect();
        let count = updates.len() as cl::cl_uint;
        extension!(clUpdateMutableCommandsKHR(self.handle, count, types.as_ptr(), configs.as_mut_ptr()))
    }

    /// `CL_COMMAND_BUFFER_STATE_KHR`.
    pub fn state(&self) -> cl::cl_command_buffer_state_khr {
        let mut state = u32::MAX;
        let code = extension!(clGetCommandBufferInfoKHR(
            self.handle,
            cl::CL_COMMAND_BUFFER_STATE_KHR,
            size_of::<u32>(),
            (&raw mut state).cast(),
            null_mut(),
        ));
        assert_eq!(code, cl::CL_SUCCESS);
        state
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        extension!(clReleaseCommandBufferKHR(self.handle));
    }
}

/// A buffer of zeros.
pub fn zeros(setup: &Setup, count: usize) -> cl::cl_mem {
    setup.filled(&vec![0; count * size_of::<i32>()])
}

/// The numbers in a buffer, after everything in the setup's queue.
pub fn numbers(setup: &Setup, buffer: cl::cl_mem) -> Vec<i32> {
    let bytes = setup.read(buffer);
    bytes.as_chunks::<4>().0.iter().map(|bytes| i32::from_ne_bytes(*bytes)).collect()
}
