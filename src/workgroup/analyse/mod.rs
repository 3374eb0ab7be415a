//! Facts about a function, found before anything is planned or emitted.

pub(crate) mod coalescing;
pub(crate) mod components;
pub(crate) mod course;
pub(crate) mod disjoint;
pub(crate) mod dominators;
pub(crate) mod graph;
pub(crate) mod grid_stride;
pub(crate) mod guards;
pub(crate) mod idioms;
pub(crate) mod induction;
pub(crate) mod instructions;
pub(crate) mod interleave;
pub(crate) mod largest;
pub(crate) mod liveness;
pub(crate) mod lockstep;
pub(crate) mod memory;
pub(crate) mod overlap;
pub(crate) mod pitch;
pub(crate) mod regions;
pub(crate) mod rematerialise;
pub(crate) mod shape;
pub(crate) mod streams;
pub(crate) mod waiting;
