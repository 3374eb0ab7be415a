//! Runs the work-items of a region as lanes of vectors: a gang of neighbours in a row goes through it together.
//!
//! A uniform value is computed once, and an affine value is known by its first lane. A varying value is one vector of
//! lanes for each of its components, or one vector in AoS layout where all elements of an OpenCL vector are treated
//! alike. Where lanes diverge, control goes through both sides under masks. An instruction without a vector form runs
//! lane by lane, so no kernel has to be declined for what it computes.

mod access;
mod aos;
mod arithmetic;
mod by_lane;
mod call;
mod divide;
mod instruction;
mod lane;
mod prefetch;
mod private;
mod region;
mod scattered;
mod speculated;
mod sub_group;
mod table;
mod together;
mod wrapping;

pub(crate) use region::{Active, Body, Leaving, UNKNOWN, Widener};
