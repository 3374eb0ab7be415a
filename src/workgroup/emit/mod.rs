//! Emission: writes the work-group function. Instructions are copied from the scalar function, which stays as it is.

mod agreeing;
mod alive;
mod apart;
pub(crate) mod atomic;
mod callee;
pub(crate) mod collective;
pub(crate) mod combine;
pub(crate) mod copy;
mod entry;
mod facts;
mod gangs;
mod guards;
mod items;
pub(crate) mod kernel;
mod loops;
pub(crate) mod machine;
pub(crate) mod places;
mod private;
mod regions;
mod row;
mod saturate;
mod transpose;
pub(crate) mod vector;
pub(crate) mod versions;
mod widen;

pub use apart::VersionName;
pub(crate) use apart::emit_version;
pub(crate) use kernel::emit;
