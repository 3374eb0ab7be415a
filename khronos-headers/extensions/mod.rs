//! Extensions, those with an entry point or a type of their own in a module each.

pub mod ext;
pub mod intel;
pub mod intel_unified_shared_memory;
pub mod khr;
pub mod khr_command_buffer;
pub mod khr_external_memory;
pub mod khr_icd;
pub mod khr_semaphore;
pub mod khr_unified_svm;

pub use ext::*;
pub use intel::*;
pub use intel_unified_shared_memory::*;
pub use khr::*;
pub use khr_command_buffer::*;
pub use khr_external_memory::*;
pub use khr_icd::*;
pub use khr_semaphore::*;
pub use khr_unified_svm::*;
