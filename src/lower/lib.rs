//! Turns a valid SPIR-V module into plain scalar LLVM IR: what one work-item does.
//!
//! - **Takes**: a [`ValidModule`](oxicl_validate::ValidModule), the kernels wanted, build options and the target.
//! - **Gives**: [`Lowered`]: an LLVM module with one function per kernel, `void @kernel.<name>(arguments)`, its call tree,
//!   and calls of `oxicl.*` for work-item queries, barriers and library functions.
//! - **Never**: emits anything whose result LLVM calls poison or undefined where SPIR-V or OpenCL C define it, nor where a
//!   kernel may reach it with ordinary data: division, shift and conversion are total. Knows no lanes and no work-groups.
//! - **Spec**: SPIR-V 1.6 section 3.49 (one file per subsection), OpenCL.std extended instructions, OpenCL environment.
#![forbid(unsafe_code)]

mod aliasing;
mod arithmetic;
mod array;
mod asynchronous;
mod atomic;
mod barrier;
mod bit;
mod body;
mod builtin_variables;
mod composite;
mod constants;
mod control_flow;
mod conversion;
mod dispatch;
mod ext_inst;
mod extension;
mod function;
mod group;
mod image;
mod lines;
mod memory;
mod named_barrier;
mod pointer;
mod refusal;
mod relational;
mod sub_group;
mod types;
mod unit;

pub use refusal::Refusal;
pub use unit::{Lowered, LoweredKernel, lower};
