//! The service: a supervisor that owns the socket to the application, and workers that compile.

mod budget;
mod channel;
mod death;
mod dump;
mod fault;
mod log;
mod pool;
mod refusal;
mod supervisor;
mod system;
mod warm;
mod worker;

pub use fault::Fault;
pub use refusal::refuse;
pub use supervisor::{Extras, serve};
pub use system::processor_time;
