//! What the tests share: a context with a queue, calls, and tables of error codes.

use std::ffi::{CString, c_void};
use std::ptr::{null, null_mut};

use khronos_headers as cl;

/// Calls a function of the API.
macro_rules! call {
    ($name:ident($($argument:expr),* $(,)?)) => {{
        let function = $crate::loader::API.$name;
        // SAFETY: the arguments point to memory as large as the specification says, or are the faults that a table is
        // about, which a driver must find without following them.
        #[allow(clippy::macro_metavars_in_unsafe, reason = "the tests are calls of an unsafe API")]
        unsafe { function($($argument),*) }
    }};
}
pub(crate) use call;

/// A call that returns a code and must succeed.
macro_rules! ok {
    ($name:ident($($argument:expr),* $(,)?)) => {
        assert_eq!($crate::support::call!($name($($argument),*)), khronos_headers::CL_SUCCESS, stringify!($name))
    };
}
pub(crate) use ok;

/// A call that creates something, with `errcode_ret` appended: the code.
macro_rules! code_of {
    ($name:ident($($argument:expr),* $(,)?)) => {{
        let mut code = 1;
        let created = $crate::support::call!($name($($argument,)* &mut code));
        assert_eq!(created.is_null(), code != khronos_headers::CL_SUCCESS, "{}: handle and code", stringify!($name));
        code
    }};
}
pub(crate) use code_of;

/// A call that creates something and must succeed: the handle.
macro_rules! create {
    ($name:ident($($argument:expr),* $(,)?)) => {{
        let mut code = 1;
        let created = $crate::support::call!($name($($argument,)* &mut code));
        assert_eq!(code, khronos_headers::CL_SUCCESS, stringify!($name));
        assert!(!created.is_null(), stringify!($name));
        created
    }};
}
pub(crate) use create;

/// Rows of `"case" => expected code, actual code;`. All rows are evaluated; then those that differ are reported.
macro_rules! table {
    ($($case:literal => $expected:ident, $actual:expr;)*) => {{
        let mut wrong = Vec::new();
        $({
            let actual: khronos_headers::cl_int = $actual;
            if actual != khronos_headers::$expected {
                wrong.push(format!("{}: {} ({}) expected, got {actual}", $case, stringify!($expected), khronos_headers::$expected));
            }
        })*
        assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    }};
}
pub(crate) use table;

/// A function of an extension.
pub fn function<F: Copy>(name: &str) -> F {
    let mut platform = null_mut();
    ok!(clGetPlatformIDs(1, &mut platform, null_mut()));
    let text = CString::new(name).unwrap();
    let address = call!(clGetExtensionFunctionAddressForPlatform(platform, text.as_ptr()));
    assert!(!address.is_null(), "{name}");
    assert_eq!(size_of::<F>(), size_of::<*mut c_void>());
    // SAFETY: the function of this name has this type, which is a function pointer.
    unsafe { std::mem::transmute_copy(&address) }
}

/// Calls a function of an extension, as [`call!`] does one of the loader.
macro_rules! extension {
    ($name:ident($($argument:expr),* $(,)?)) => {{
        let function: khronos_headers::$name = $crate::support::function(stringify!($name));
        // SAFETY: as for `call!`.
        #[allow(clippy::macro_metavars_in_unsafe, reason = "the tests are calls of an unsafe API")]
        unsafe { function($($argument),*) }
    }};
}
pub(crate) use extension;

/// A context with the first device of the first platform, and an in-order queue.
pub struct Setup {
    /// The device.
    pub device: cl::cl_device_id,
    /// The context.
    pub context: cl::cl_context,
    /// The queue.
    pub queue: cl::cl_command_queue,
}

impl Setup {
    /// New.
    pub fn new() -> Setup {
        let mut platform = null_mut();
        ok!(clGetPlatformIDs(1, &mut platform, null_mut()));
        let mut device = null_mut();
        ok!(clGetDeviceIDs(platform, cl::CL_DEVICE_TYPE_ALL, 1, &mut device, null_mut()));
        let context = create!(clCreateContext(null(), 1, &device, None, null_mut()));
        let queue = create!(clCreateCommandQueueWithProperties(context, device, null()));
        Setup { device, context, queue }
    }

    /// A second queue, out of order.
    pub fn out_of_order(&self) -> cl::cl_command_queue {
        let list =
            [cl::cl_queue_properties::from(cl::CL_QUEUE_PROPERTIES), cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0];
        create!(clCreateCommandQueueWithProperties(self.context, self.device, list.as_ptr()))
    }

    /// A number that the device answers.
    pub fn device_number<T: Default>(&self, name: cl::cl_device_info) -> T {
        let mut value = T::default();
        ok!(clGetDeviceInfo(self.device, name, size_of::<T>(), (&raw mut value).cast(), null_mut()));
        value
    }

    /// A buffer without host memory.
    pub fn buffer(&self, flags: cl::cl_mem_flags, size: usize) -> cl::cl_mem {
        create!(clCreateBuffer(self.context, flags, size, null_mut()))
    }

    /// A buffer with these bytes.
    pub fn filled(&self, bytes: &[u8]) -> cl::cl_mem {
        let pointer = bytes.as_ptr().cast_mut().cast();
        create!(clCreateBuffer(self.context, cl::CL_MEM_COPY_HOST_PTR, bytes.len(), pointer))
    }

    /// Everything in a buffer.
    pub fn read(&self, buffer: cl::cl_mem) -> Vec<u8> {
        let mut bytes = vec![0xEE; mem_info(buffer, cl::CL_MEM_SIZE)];
        let pointer: *mut c_void = bytes.as_mut_ptr().cast();
        ok!(clEnqueueReadBuffer(self.queue, buffer, cl::CL_TRUE, 0, bytes.len(), pointer, 0, null(), null_mut()));
        bytes
    }

    /// Part of a buffer as a sub-buffer.
    pub fn part(&self, buffer: cl::cl_mem, flags: cl::cl_mem_flags, origin: usize, size: usize) -> cl::cl_mem {
        let region = cl::cl_buffer_region { origin, size };
        create!(clCreateSubBuffer(buffer, flags, cl::CL_BUFFER_CREATE_TYPE_REGION, (&raw const region).cast()))
    }

    /// Waits for everything in the queue.
    pub fn finish(&self) {
        ok!(clFinish(self.queue));
    }
}

impl Drop for Setup {
    fn drop(&mut self) {
        call!(clReleaseCommandQueue(self.queue));
        call!(clReleaseContext(self.context));
    }
}

/// Releases a memory object.
pub fn release(memory: cl::cl_mem) {
    ok!(clReleaseMemObject(memory));
}

/// Releases memory objects, the first one first.
pub fn release_all(memory: &[cl::cl_mem]) {
    for &memory in memory {
        release(memory);
    }
}

/// A query of a memory object.
pub fn mem_info<T: Default>(memory: cl::cl_mem, name: cl::cl_mem_info) -> T {
    let mut value = T::default();
    let mut size = 0;
    ok!(clGetMemObjectInfo(memory, name, size_of::<T>(), (&raw mut value).cast(), &mut size));
    assert_eq!(size, size_of::<T>(), "size of the answer to {name:#x}");
    value
}

/// A query of a memory object that answers with a handle or an address.
pub fn mem_address(memory: cl::cl_mem, name: cl::cl_mem_info) -> usize {
    mem_info::<usize>(memory, name)
}

/// A small generator, so that failures repeat.
pub struct Random(u64);

impl Random {
    /// The seed must not be zero.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// Less than `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    /// Bytes.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.below(256) as u8).collect()
    }
}

/// A name for addresses in tables.
pub fn at<T>(value: &T) -> *mut c_void {
    std::ptr::from_ref(value).cast_mut().cast()
}
