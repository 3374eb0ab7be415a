//! Idioms: several instructions that gangs run faster together than one by one.

pub(crate) mod comparison;
pub(crate) mod divisor;
pub(crate) mod live_out;
pub(crate) mod packed;
pub(crate) mod pair;
pub(crate) mod product;
pub(crate) mod record;
pub(crate) mod speculated;
pub(crate) mod table;
