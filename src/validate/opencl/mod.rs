//! The rules of the OpenCL SPIR-V environment, one file per section.

pub(crate) mod built_ins;
pub(crate) mod entry_points;
pub(crate) mod offers;
pub(crate) mod opencl_std;
pub(crate) mod printf;
pub(crate) mod recursion;
