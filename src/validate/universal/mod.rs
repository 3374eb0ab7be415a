//! The rules of the SPIR-V specification, one file per section.

pub(crate) mod aliasing;
pub(crate) mod annotations;
pub(crate) mod arithmetic;
pub(crate) mod atomic;
pub(crate) mod barrier;
pub(crate) mod bit;
pub(crate) mod blocks;
pub(crate) mod capabilities;
pub(crate) mod composite;
mod constant_operations;
pub(crate) mod constants;
pub(crate) mod control_flow;
pub(crate) mod conversion;
pub(crate) mod debug;
pub(crate) mod dominators;
pub(crate) mod extension;
pub(crate) mod functions;
pub(crate) mod group;
pub(crate) mod interface;
pub(crate) mod logical_layout;
pub(crate) mod memory;
pub(crate) mod non_uniform;
pub(crate) mod relational;
pub(crate) mod requirements;
pub(crate) mod types;
pub(crate) mod uses;
pub(crate) mod variables;
