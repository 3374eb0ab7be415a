//! Handles: pointers to objects that only the driver looks into.

macro_rules! handles {
    ($($name:ident -> $object:ident;)*) => {
        $(
            /// The driver defines what is behind the handle.
            #[repr(C)]
            #[derive(Debug)]
            pub struct $object {
                _opaque: [u8; 0],
                // Neither Send, Sync nor Unpin: nothing is known of the object.
                _marker: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
            }
            pub type $name = *mut $object;
        )*
        /// Names of the handle types.
        pub const HANDLES: &[&str] = &[$(stringify!($name),)*];
    };
}

handles! {
    cl_platform_id -> _cl_platform_id;
    cl_device_id -> _cl_device_id;
    cl_context -> _cl_context;
    cl_command_queue -> _cl_command_queue;
    cl_mem -> _cl_mem;
    cl_program -> _cl_program;
    cl_kernel -> _cl_kernel;
    cl_event -> _cl_event;
    cl_sampler -> _cl_sampler;
    cl_semaphore_khr -> _cl_semaphore_khr;
    cl_command_buffer_khr -> _cl_command_buffer_khr;
    cl_mutable_command_khr -> _cl_mutable_command_khr;
}
