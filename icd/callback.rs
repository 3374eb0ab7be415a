//! The application's callbacks as values.
//!
//! Each holds the C function and its `user_data`; the application promises that both may be used from any thread until the
//! callback's last call. A function that ends its thread unwinds the closure that calls it: nothing in there has to be dropped.
#![allow(unsafe_code, reason = "calls functions of the application")]

use std::ffi::{CString, c_void};

use khronos_headers as cl;
use oxicl_schedule::Foreign;

/// The application's word for its callback.
#[derive(Clone, Copy)]
struct UserData(*mut c_void);

// SAFETY: we never look behind it; the application said by registering the callback that it may be used on any thread.
unsafe impl Send for UserData {}
// SAFETY: as above.
unsafe impl Sync for UserData {}

impl UserData {
    /// A method, so that a closure captures the whole value and not the bare pointer.
    fn get(self) -> *mut c_void {
        self.0
    }
}

/// A callback that is called any number of times with a message and bytes about it.
pub type Notify = Box<dyn Fn(&str, &[u8]) + Send + Sync>;

/// `pfn_notify` of a context.
pub fn context_notify(function: cl::cl_context_notify, user_data: *mut c_void) -> Option<Notify> {
    let function = function?;
    let user_data = UserData(user_data);
    Some(Box::new(move |message, private| {
        let message = CString::new(message.replace('\0', " ")).unwrap_or_default();
        // SAFETY: the application registered this function with this word; the strings live during the call.
        unsafe { function(message.as_ptr(), private.as_ptr().cast(), private.len(), user_data.get()) }
    }))
}

/// A callback with a handle, called once: destructors of contexts and memory objects, ends of program builds.
pub fn with_handle<H: 'static>(
    function: unsafe extern "C-unwind" fn(*mut H, *mut c_void),
    handle: *mut H,
    user_data: *mut c_void,
) -> Foreign {
    let handle = UserData(handle.cast());
    let user_data = UserData(user_data);
    Foreign::new(move || {
        // SAFETY: the application registered this function with this word for this handle.
        unsafe { function(handle.get().cast(), user_data.get()) }
    })
}

/// `pfn_notify` of an event: called once with the status.
pub fn event_notify(
    function: unsafe extern "C-unwind" fn(cl::cl_event, cl::cl_int, *mut c_void),
    event: cl::cl_event,
    user_data: *mut c_void,
) -> Box<dyn FnOnce(i32) -> Foreign + Send> {
    let event = UserData(event.cast());
    let user_data = UserData(user_data);
    Box::new(move |status| {
        Foreign::new(move || {
            // SAFETY: the application registered this function with this word for this event.
            unsafe { function(event.get().cast(), status, user_data.get()) }
        })
    })
}

/// `pfn_free_func` of `clEnqueueSVMFree`: called once with the queue and the addresses to free.
pub fn svm_free_notify(
    function: unsafe extern "C-unwind" fn(cl::cl_command_queue, cl::cl_uint, *mut *mut c_void, *mut c_void),
    queue: cl::cl_command_queue,
    mut addresses: Vec<usize>,
    user_data: *mut c_void,
) -> Foreign {
    let queue = UserData(queue.cast());
    let user_data = UserData(user_data);
    // Addresses and pointers have the same form. The function may write into its list.
    let count = cl::cl_uint::try_from(addresses.len()).unwrap_or(cl::cl_uint::MAX);
    let list = UserData(addresses.as_mut_ptr().cast());
    let call = move || {
        // SAFETY: the application passed this function with this word; the list is kept during the call, and nobody else
        // uses it.
        unsafe { function(queue.get().cast(), count, list.get().cast(), user_data.get()) }
    };
    Foreign::new(call).keeping(addresses)
}

/// A native kernel: called once with the address of its arguments.
pub fn native_kernel(function: unsafe extern "C-unwind" fn(*mut c_void)) -> Box<dyn FnOnce(usize) -> Foreign + Send> {
    Box::new(move |arguments| {
        Foreign::new(move || {
            // SAFETY: the application enqueued this function with arguments of this form; the address is that of a copy of
            // them, which is kept during the call.
            unsafe { function(std::ptr::with_exposed_provenance_mut(arguments)) }
        })
    })
}
