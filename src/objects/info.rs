//! What an info query answers.
//!
//! Objects answer with safe values; `icd` turns them into the bytes of the C type, objects into their handles.

use std::ffi::CStr;
use std::sync::Arc;

use crate::command_buffer::CommandBuffer;
use crate::context::Context;
use crate::device::Device;
use crate::kernel::Kernel;
use crate::memory::Memory;
use crate::platform::Platform;
use crate::program::Program;
use crate::queue::Queue;

/// The answer to a query.
#[derive(Clone)]
pub enum InfoValue {
    /// A 32-bit value: `cl_uint`, `cl_int`, enums.
    U32(u32),
    /// A 64-bit value: `cl_ulong`, bit fields.
    U64(u64),
    /// A `size_t`.
    Size(usize),
    /// A `cl_bool`.
    Bool(bool),
    /// A string; the terminating zero is added.
    Str(String),
    /// Any other plain data, in the C type's layout (arrays of scalars, `cl_name_version`). May be empty.
    Bytes(Vec<u8>),
    /// Strings that live as long as the process, as an array of `const char*`.
    StrPointers(&'static [&'static CStr]),
    /// An address of the application's own, such as a host pointer.
    Address(usize),
    /// A null handle.
    Null,
    /// The object's own API reference count; `icd` knows it.
    ReferenceCount,
    /// The platform.
    Platform(Arc<Platform>),
    /// A device.
    Device(Arc<Device>),
    /// Devices.
    Devices(Vec<Arc<Device>>),
    /// A context.
    Context(Arc<Context>),
    /// A queue.
    Queue(Arc<Queue>),
    /// A memory object.
    Memory(Arc<Memory>),
    /// A program.
    Program(Arc<Program>),
    /// A kernel.
    Kernel(Arc<Kernel>),
    /// A command buffer.
    CommandBuffer(Arc<CommandBuffer>),
    /// One byte array per device, for `CL_PROGRAM_BINARIES`: each is copied to the address that the application put in
    /// its array (null skips one).
    Binaries(Vec<Vec<u8>>),
}

impl InfoValue {
    /// An array of 32-bit values.
    pub fn u32s(values: impl IntoIterator<Item = u32>) -> Self {
        InfoValue::Bytes(values.into_iter().flat_map(u32::to_ne_bytes).collect())
    }

    /// An array of 64-bit values: `cl_properties` and the like.
    pub fn u64s(values: impl IntoIterator<Item = u64>) -> Self {
        InfoValue::Bytes(values.into_iter().flat_map(u64::to_ne_bytes).collect())
    }

    /// An array of `size_t`.
    pub fn sizes(values: impl IntoIterator<Item = usize>) -> Self {
        InfoValue::Bytes(values.into_iter().flat_map(usize::to_ne_bytes).collect())
    }
}

impl From<oxicl_caps::Value> for InfoValue {
    fn from(value: oxicl_caps::Value) -> Self {
        use oxicl_caps::Value;
        match value {
            Value::U32(value) => InfoValue::U32(value),
            Value::U64(value) => InfoValue::U64(value),
            Value::Size(value) => InfoValue::Size(value),
            Value::Bool(value) => InfoValue::Bool(value),
            Value::Str(text) => InfoValue::Str(text),
            Value::Bytes(bytes) => InfoValue::Bytes(bytes),
            Value::StrPointers(strings) => InfoValue::StrPointers(strings),
        }
    }
}
