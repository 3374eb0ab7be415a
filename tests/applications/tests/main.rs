//! What the runner promises, without any program installed.

mod page;
mod reading;
mod running;
mod table;
