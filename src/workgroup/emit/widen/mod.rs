//! Runs the work-items of a region as lanes of vectors: a gang of neighbours in a row goes through it together.
//!
//! What lanes agree on is computed once; what differs by a constant from lane to lane is known by its first lane; all else
//! is a vector for each number of the value, or one for all of them where the parts of a vector of the language are all treated
//! alike. Where lanes diverge, control goes through both sides under masks. An instruction without a vector form runs lane by lane,
//! so that nothing has to be declined for what it computes.

mod access;
mod aos;
mod by_lane;
mod call;
mod coalesced;
mod compare;
mod convert;
mod divide;
mod instruction;
mod lane;
mod live_out;
mod prefetch;
mod private;
mod product;
mod quotient;
mod region;
mod scattered;
mod speculated;
mod sub_group;
mod table;
mod together;
mod wrapping;

pub(crate) use region::{Body, Leaving, UNKNOWN, Widener};
