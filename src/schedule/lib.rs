//! Threads: runs the work-groups of ND-ranges, and copies, on the CPUs that the process may use.
//!
//! - **Takes**: jobs that divide into units ([`Job`], [`Launch`]) and what to do at their end ([`Runnable`]).
//! - **Gives**: their execution, by worker threads and by threads that otherwise only wait ([`Helper`]); a thread for
//!   the application's callbacks and one for its native kernels, both of which the application may end ([`Foreign`]);
//!   threads for builds in the background and for what continues after them; survival of `fork` ([`fork`]).
//! - **Never**: knows an OpenCL object; holds a lock while foreign code runs; wakes a thread for work that a waiting
//!   thread does sooner; lets a kernel see the caller's floating-point state or stack.
//! - **Spec**: OpenCL API, sections "Execution Model" and "Out-of-order Execution of Kernels and Memory Object
//!   Commands".

mod background;
mod binding;
mod call;
mod clock;
mod cpus;
mod depth;
pub mod fibers;
mod foreign;
pub mod fork;
mod gate;
mod launch;
mod line;
mod mapping;
mod order;
mod pool;
mod progress;
mod ready;
mod sync;
mod task;
mod threads;
mod topology;
#[cfg(test)]
mod unshared;
mod worker_slot;

pub use background::{post_work, start_apart};
pub use clock::now;
pub use cpus::cpu_count;
pub use foreign::{Foreign, returning};
pub use gate::{Gate, GateState};
pub use launch::{CostHint, Launch};
pub use line::{Around, Call, post_callback, post_native};
pub use order::Order;
pub use pool::{Helper, Outbox, Runnable, has_workers, submit};
pub use task::{Job, Task, TaskState, worthwhile_threads};
pub use topology::Level;
pub use worker_slot::{WorkerSlot, WorkerSlots};

/// A unit of work could not be run, for lack of memory or because of an internal error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failed;
