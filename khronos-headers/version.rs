//! Versions and names with versions.

use core::ffi::c_char;

use crate::scalar::cl_uint;

abi! {
    types {
        cl_version = cl_uint;
    }
    structs {
        cl_name_version {
            version: cl_version,
            name: [c_char; CL_NAME_VERSION_MAX_NAME_SIZE],
        }
    }
    constants {
        cl_uint {
            CL_VERSION_MAJOR_BITS = 10;
            CL_VERSION_MINOR_BITS = 10;
            CL_VERSION_PATCH_BITS = 12;
        }
        usize {
            CL_NAME_VERSION_MAX_NAME_SIZE = 64;
        }
    }
}

/// A version from its three parts.
pub const fn CL_MAKE_VERSION(major: cl_uint, minor: cl_uint, patch: cl_uint) -> cl_version {
    ((major & ((1 << CL_VERSION_MAJOR_BITS) - 1)) << (CL_VERSION_MINOR_BITS + CL_VERSION_PATCH_BITS))
        | ((minor & ((1 << CL_VERSION_MINOR_BITS) - 1)) << CL_VERSION_PATCH_BITS)
        | (patch & ((1 << CL_VERSION_PATCH_BITS) - 1))
}

/// The major part of a version.
pub const fn CL_VERSION_MAJOR(version: cl_version) -> cl_uint {
    version >> (CL_VERSION_MINOR_BITS + CL_VERSION_PATCH_BITS)
}

/// The minor part of a version.
pub const fn CL_VERSION_MINOR(version: cl_version) -> cl_uint {
    (version >> CL_VERSION_PATCH_BITS) & ((1 << CL_VERSION_MINOR_BITS) - 1)
}

/// The patch part of a version.
pub const fn CL_VERSION_PATCH(version: cl_version) -> cl_uint {
    version & ((1 << CL_VERSION_PATCH_BITS) - 1)
}
