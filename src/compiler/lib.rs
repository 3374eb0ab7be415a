//! The compiler: SPIR-V words in, finished object code out. The library behind the executable `oxicl-compiler`.
//!
//! - **Takes**: a [`CompileRequest`](oxicl_protocol::CompileRequest), from the socket to the application or the command
//!   line.
//! - **Gives**: an [`Image`](oxicl_abi::Image) without symbols or relocations, or the build log.
//! - **Never**: trusts the application's word that a module is valid; runs in the application's process (tests may).
//! - **Spec**: none of its own; System V ABI, x86-64 supplement, for the object format.

pub mod apart;
pub mod build_options;
pub mod codegen;
pub mod command_line;
pub mod emit_spirv;
pub mod flow;
mod layout;
pub mod object;
mod proof;
pub mod request_file;
pub mod serve;
mod stack;
