//! The dispatch table, and all functions by name.

use std::ffi::c_void;
use std::ptr::from_ref;

use khronos_headers::{CL_ICD2_TAG_KHR, Icd2Slot, cl_icd_dispatch};

use crate::api;

macro_rules! modules {
    ($($module:ident)*) => {
        /// Loaders read it through the first word of every handle. The slots of `clGetPlatformIDs` and
        /// `clUnloadCompiler`, which no loader calls, hold the mark of the second ICD interface.
        static TABLE: cl_icd_dispatch = {
            let mut table = cl_icd_dispatch::EMPTY;
            table.clGetPlatformIDs = Icd2Slot { tag: CL_ICD2_TAG_KHR };
            table.clUnloadCompiler = Icd2Slot { tag: CL_ICD2_TAG_KHR };
            $(api::$module::fill(&mut table);)*
            table
        };

        /// The address of an entry point by its C name.
        pub fn find(name: &str) -> Option<*mut c_void> {
            None$(.or_else(|| api::$module::find(name)))*
        }

        /// Every name that `find` knows.
        #[cfg(test)]
        pub fn names() -> Vec<&'static str> {
            [$(api::$module::NAMES),*].concat()
        }
    };
}

modules! {
    platform device context queue event execute memory buffer svm usm program kernel image pipe sampler command_buffer semaphore
}

/// The table, as handles hold it. Nobody writes to it.
pub fn table() -> *mut cl_icd_dispatch {
    from_ref(&TABLE).cast_mut()
}
