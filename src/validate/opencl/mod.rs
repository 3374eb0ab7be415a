//! The rules of the OpenCL SPIR-V environment, one file per section.

pub(crate) mod arguments;
pub(crate) mod built_ins;
pub(crate) mod decorations;
pub(crate) mod entry_points;
pub(crate) mod images;
pub(crate) mod linkage;
pub(crate) mod modes;
pub(crate) mod offers;
pub(crate) mod opencl_std;
pub(crate) mod printf;
pub(crate) mod recursion;
pub(crate) mod scopes;
