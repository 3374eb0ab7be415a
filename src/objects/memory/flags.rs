//! Memory flags: which combinations are valid, and what a sub-buffer inherits.

use khronos_headers::{
    CL_MAP_READ, CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION, CL_MEM_ALLOC_HOST_PTR, CL_MEM_COPY_HOST_PTR,
    CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY, CL_MEM_IMMUTABLE_EXT, CL_MEM_READ_ONLY,
    CL_MEM_READ_WRITE, CL_MEM_SVM_ATOMICS, CL_MEM_SVM_FINE_GRAIN_BUFFER, CL_MEM_USE_HOST_PTR, CL_MEM_WRITE_ONLY,
    CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, CL_MIGRATE_MEM_OBJECT_HOST, cl_map_flags, cl_mem_flags,
    cl_mem_migration_flags, cl_svm_mem_flags,
};

use crate::ApiError;

const KERNEL_ACCESS: cl_mem_flags = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
const HOST_ACCESS: cl_mem_flags = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
const HOST_POINTER: cl_mem_flags = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
/// What an object that is never modified cannot be for.
const MODIFYING: cl_mem_flags = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_HOST_WRITE_ONLY;

/// Flags that exclude each other stand in one group; of each group at most one may be given.
fn at_most_one(flags: u64, group: u64) -> Result<(), ApiError> {
    if (flags & group).count_ones() > 1 {
        Err(ApiError::InvalidValue.because("flags exclude each other"))
    } else {
        Ok(())
    }
}

fn only(flags: u64, known: u64) -> Result<(), ApiError> {
    if flags & !known != 0 { Err(ApiError::InvalidValue.because("flags are unknown or not for this")) } else { Ok(()) }
}

/// Checks the flags that a buffer is created with.
pub fn check_buffer(flags: cl_mem_flags) -> Result<(), ApiError> {
    only(flags, KERNEL_ACCESS | HOST_ACCESS | HOST_POINTER | CL_MEM_IMMUTABLE_EXT)?;
    at_most_one(flags, KERNEL_ACCESS)?;
    at_most_one(flags, HOST_ACCESS)?;
    // What is never modified has its contents from the start.
    if flags & CL_MEM_IMMUTABLE_EXT != 0
        && (flags & MODIFYING != 0 || flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) == 0)
    {
        return Err(ApiError::InvalidValue);
    }
    // The application's memory is used as it is: nothing is allocated for it, and nothing copied from it.
    at_most_one(flags, CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR)?;
    at_most_one(flags, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)
}

/// Checks that a host pointer is given exactly if a flag says what it is for.
pub fn check_host_pointer(flags: cl_mem_flags, given: bool) -> Result<(), ApiError> {
    let wanted = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0;
    if wanted == given { Ok(()) } else { Err(ApiError::InvalidHostPtr) }
}

/// Checks the flags of a sub-buffer against those of its buffer, and adds what it inherits.
pub fn inherit(parent: cl_mem_flags, flags: cl_mem_flags) -> Result<cl_mem_flags, ApiError> {
    only(flags, KERNEL_ACCESS | HOST_ACCESS | CL_MEM_IMMUTABLE_EXT)?;
    if (parent | flags) & CL_MEM_IMMUTABLE_EXT != 0 && flags & MODIFYING != 0 {
        return Err(ApiError::InvalidValue);
    }
    at_most_one(flags, KERNEL_ACCESS)?;
    at_most_one(flags, HOST_ACCESS)?;
    // A sub-buffer must not allow what its buffer does not.
    let excluded = [
        (CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY),
        (CL_MEM_READ_ONLY, CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY),
        (CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY),
        (CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY),
        (CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY),
    ];
    for (of_parent, forbidden) in excluded {
        if parent & of_parent != 0 && flags & forbidden != 0 {
            return Err(ApiError::InvalidValue.because("the sub-buffer allows what its buffer does not"));
        }
    }
    let mut all = flags | (parent & (HOST_POINTER | CL_MEM_IMMUTABLE_EXT));
    for group in [KERNEL_ACCESS | CL_MEM_IMMUTABLE_EXT, HOST_ACCESS] {
        if flags & group == 0 {
            all |= parent & group;
        }
    }
    Ok(all)
}

/// Checks the flags of an image against those of the memory object that it shows, and adds what it inherits.
pub fn inherit_into_image(parent: cl_mem_flags, flags: cl_mem_flags) -> Result<cl_mem_flags, ApiError> {
    if parent & CL_MEM_IMMUTABLE_EXT != 0 && flags & CL_MEM_IMMUTABLE_EXT == 0 {
        return Err(ApiError::InvalidValue.because("what shows an immutable memory object is immutable"));
    }
    inherit(parent, flags)
}

/// Checks that the host may read an object with these flags.
pub fn check_host_read(flags: cl_mem_flags) -> Result<(), ApiError> {
    let forbidden = flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS) != 0;
    if forbidden { Err(ApiError::InvalidOperation.because("the host may not read the object")) } else { Ok(()) }
}

/// Checks that commands may modify an object with these flags.
pub fn check_modify(flags: cl_mem_flags) -> Result<(), ApiError> {
    if flags & CL_MEM_IMMUTABLE_EXT != 0 {
        Err(ApiError::InvalidOperation.because("the memory object is immutable"))
    } else {
        Ok(())
    }
}

/// Checks that the host may write an object with these flags.
pub fn check_host_write(flags: cl_mem_flags) -> Result<(), ApiError> {
    check_modify(flags)?;
    let forbidden = flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS) != 0;
    if forbidden { Err(ApiError::InvalidOperation.because("the host may not write the object")) } else { Ok(()) }
}

/// What a mapping is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapAccess {
    /// The host reads.
    pub read: bool,
    /// The host writes.
    pub write: bool,
}

/// Checks map flags. Invalidating excludes the other two.
pub fn check_map(flags: cl_map_flags) -> Result<MapAccess, ApiError> {
    only(flags, CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)?;
    at_most_one(flags, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION)?;
    at_most_one(flags, CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)?;
    Ok(MapAccess {
        read: flags & CL_MAP_READ != 0,
        write: flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) != 0,
    })
}

/// Checks migration flags.
pub fn check_migration(flags: cl_mem_migration_flags) -> Result<(), ApiError> {
    only(flags, CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED)
}

/// Checks the flags of a shared virtual memory allocation. Atomics need fine grain.
pub fn check_svm(flags: cl_svm_mem_flags) -> Result<(), ApiError> {
    only(flags, KERNEL_ACCESS | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS)?;
    at_most_one(flags, KERNEL_ACCESS)?;
    if flags & CL_MEM_SVM_ATOMICS != 0 && flags & CL_MEM_SVM_FINE_GRAIN_BUFFER == 0 {
        return Err(ApiError::InvalidValue);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use khronos_headers::CL_MEM_KERNEL_READ_AND_WRITE;

    #[test]
    fn flags_that_exclude_each_other_are_refused() {
        let refused = [
            CL_MEM_READ_WRITE | CL_MEM_READ_ONLY,
            CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY,
            CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
            CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY,
            CL_MEM_HOST_NO_ACCESS | CL_MEM_HOST_WRITE_ONLY,
            CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR,
            CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR,
            CL_MEM_KERNEL_READ_AND_WRITE,
            CL_MEM_SVM_FINE_GRAIN_BUFFER,
            1 << 40,
        ];
        for flags in refused {
            assert_eq!(check_buffer(flags), Err(ApiError::InvalidValue), "{flags:#x}");
        }
        for flags in [0, CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR, CL_MEM_READ_ONLY | CL_MEM_HOST_NO_ACCESS] {
            assert_eq!(check_buffer(flags), Ok(()), "{flags:#x}");
        }
    }

    #[test]
    fn what_is_never_modified_has_contents_and_no_writer() {
        let immutable = CL_MEM_IMMUTABLE_EXT | CL_MEM_COPY_HOST_PTR;
        for flags in [
            CL_MEM_IMMUTABLE_EXT,
            CL_MEM_IMMUTABLE_EXT | CL_MEM_ALLOC_HOST_PTR,
            immutable | CL_MEM_READ_WRITE,
            immutable | CL_MEM_WRITE_ONLY,
            immutable | CL_MEM_HOST_WRITE_ONLY,
        ] {
            assert_eq!(check_buffer(flags), Err(ApiError::InvalidValue), "{flags:#x}");
        }
        for flags in [immutable, immutable | CL_MEM_READ_ONLY, immutable | CL_MEM_HOST_NO_ACCESS] {
            assert_eq!(check_buffer(flags), Ok(()), "{flags:#x}");
        }
        assert_eq!(inherit(immutable, 0), Ok(immutable));
        assert_eq!(inherit(immutable, CL_MEM_READ_ONLY), Ok(immutable | CL_MEM_READ_ONLY));
        assert_eq!(inherit(CL_MEM_READ_ONLY, CL_MEM_IMMUTABLE_EXT), Ok(CL_MEM_IMMUTABLE_EXT));
        for flags in [CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY, CL_MEM_HOST_WRITE_ONLY] {
            assert_eq!(inherit(immutable, flags), Err(ApiError::InvalidValue), "{flags:#x}");
        }
        assert_eq!(check_host_write(immutable), Err(ApiError::InvalidOperation));
        assert_eq!(check_host_read(immutable), Ok(()));
    }

    #[test]
    fn host_pointer_and_its_flags_come_together() {
        assert_eq!(check_host_pointer(CL_MEM_USE_HOST_PTR, false), Err(ApiError::InvalidHostPtr));
        assert_eq!(check_host_pointer(CL_MEM_COPY_HOST_PTR, false), Err(ApiError::InvalidHostPtr));
        assert_eq!(check_host_pointer(CL_MEM_ALLOC_HOST_PTR, true), Err(ApiError::InvalidHostPtr));
        assert_eq!(check_host_pointer(CL_MEM_COPY_HOST_PTR, true), Ok(()));
        assert_eq!(check_host_pointer(0, false), Ok(()));
    }

    #[test]
    fn sub_buffer_inherits_what_it_does_not_say() {
        let parent = CL_MEM_READ_ONLY | CL_MEM_HOST_NO_ACCESS | CL_MEM_USE_HOST_PTR;
        assert_eq!(inherit(parent, 0), Ok(parent));
        assert_eq!(inherit(CL_MEM_READ_WRITE, CL_MEM_READ_ONLY), Ok(CL_MEM_READ_ONLY));
        assert_eq!(inherit(0, CL_MEM_WRITE_ONLY), Ok(CL_MEM_WRITE_ONLY));
        assert_eq!(
            inherit(CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_NO_ACCESS),
            Ok(CL_MEM_HOST_NO_ACCESS),
            "less than the buffer allows is allowed"
        );
    }

    #[test]
    fn sub_buffer_must_not_allow_more_than_its_buffer() {
        for (parent, flags) in [
            (CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE),
            (CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY),
            (CL_MEM_READ_ONLY, CL_MEM_READ_WRITE),
            (CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY),
            (CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY),
            (CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY),
            (CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY),
            (0, CL_MEM_USE_HOST_PTR),
            (0, CL_MEM_COPY_HOST_PTR),
            (0, CL_MEM_ALLOC_HOST_PTR),
        ] {
            assert_eq!(inherit(parent, flags), Err(ApiError::InvalidValue), "{parent:#x} {flags:#x}");
        }
    }

    #[test]
    fn image_that_shows_an_immutable_object_says_so() {
        let parent = CL_MEM_IMMUTABLE_EXT | CL_MEM_COPY_HOST_PTR;
        assert_eq!(inherit_into_image(parent, CL_MEM_READ_ONLY), Err(ApiError::InvalidValue));
        let both = CL_MEM_READ_ONLY | CL_MEM_IMMUTABLE_EXT;
        assert_eq!(inherit_into_image(parent, both), Ok(both | CL_MEM_COPY_HOST_PTR));
        assert_eq!(inherit_into_image(CL_MEM_READ_ONLY, 0), Ok(CL_MEM_READ_ONLY));
    }

    #[test]
    fn map_flags_that_exclude_each_other_are_refused() {
        for flags in
            [CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION, 1 << 3]
        {
            assert_eq!(check_map(flags), Err(ApiError::InvalidValue), "{flags:#x}");
        }
        assert_eq!(check_map(CL_MAP_READ | CL_MAP_WRITE), Ok(MapAccess { read: true, write: true }));
        assert_eq!(check_map(CL_MAP_WRITE_INVALIDATE_REGION), Ok(MapAccess { read: false, write: true }));
    }

    #[test]
    fn svm_atomics_need_fine_grain() {
        assert_eq!(check_svm(CL_MEM_SVM_ATOMICS), Err(ApiError::InvalidValue));
        assert_eq!(check_svm(CL_MEM_SVM_ATOMICS | CL_MEM_SVM_FINE_GRAIN_BUFFER), Ok(()));
        assert_eq!(check_svm(CL_MEM_USE_HOST_PTR), Err(ApiError::InvalidValue));
        assert_eq!(check_svm(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY), Err(ApiError::InvalidValue));
    }
}
