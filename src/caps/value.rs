//! The answer to a query, typed.

use std::ffi::CStr;

/// The answer to a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A 32-bit value: `cl_uint`, enums.
    U32(u32),
    /// A 64-bit value: `cl_ulong`, bit fields.
    U64(u64),
    /// A `size_t`.
    Size(usize),
    /// A `cl_bool`.
    Bool(bool),
    /// A string, without its terminating zero.
    Str(String),
    /// Any other plain data, in the C type's layout. May be empty.
    Bytes(Vec<u8>),
    /// Strings that live as long as the process, as an array of `const char*`.
    StrPointers(&'static [&'static CStr]),
}

impl Value {
    /// An array of `size_t`.
    pub(crate) fn sizes(values: &[usize]) -> Self {
        Value::Bytes(values.iter().flat_map(|value| value.to_ne_bytes()).collect())
    }

    /// An array of 64-bit values.
    pub(crate) fn u64s(values: impl IntoIterator<Item = u64>) -> Self {
        Value::Bytes(values.into_iter().flat_map(u64::to_ne_bytes).collect())
    }

    /// An array of 32-bit values.
    pub(crate) fn u32s(values: impl IntoIterator<Item = u32>) -> Self {
        Value::Bytes(values.into_iter().flat_map(u32::to_ne_bytes).collect())
    }
}
