//! Writing the work-group function: nothing of the scalar function is changed, its instructions are copied.

mod callee;
mod collective;
mod copy;
mod entry;
mod groups;
mod items;
mod kernel;
mod loops;
mod places;

pub(crate) use kernel::emit;
