//! How exact the functions of OpenCL.std are, measured through the whole compiler against a correctly rounding reference.
//!
//! - **Takes**: the table of functions, formats and bounds; inputs made here.
//! - **Gives**: the largest error found for each, in units in the last place, and `docs/accuracy.md`.
//! - **Never**: asks the library under test what is right; the reference is MPFR, screened by the host's libm.
//! - **Spec**: OpenCL environment specification, "Relative Error as ULPs" and "Edge Case Behavior".

pub mod document;
pub mod exact;
pub mod format;
pub mod kernel;
pub mod measure;
pub mod pairs;
pub mod quick;
pub mod reference;
pub mod samples;
pub mod screen;
pub mod table;
