//! The C ABI of the OpenCL platform, and nothing else.
//!
//! - **Takes**: calls through a loader's dispatch table: pointers, lengths, handles, flag bits.
//! - **Gives**: safe types to `objects`, and its answers back as codes, handles and bytes.
//! - **Never**: holds a rule that can be said without a C pointer; lets a panic or a bad handle through.
//! - **Spec**: OpenCL API 3.1, the C signatures; `cl_khr_icd` 2.0.

mod api;
#[cfg(test)]
mod build_name;
mod call;
mod callback;
mod devices;
mod dispatch;
mod entry;
mod exports;
mod guard;
mod handle;
mod info;
#[cfg(test)]
mod table_tests;
mod types;
