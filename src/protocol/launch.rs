//! The binary interface between the scheduler and a compiled kernel.

/// Alignment, in bytes, of the context block and of the parts inside it.
pub const CONTEXT_ALIGN: u64 = 128;

/// What every work-group of one launch has in common. Generated code reads it by field offset, so the order is fixed;
/// `workgroup` asserts the offsets with `core::mem::offset_of!`.
#[repr(C)]
#[derive(Clone, Debug, Default)]
pub struct LaunchRecord {
    /// Number of dimensions as enqueued, 1 to 3. Sizes of absent dimensions are 1, offsets 0.
    pub work_dim: u64,
    /// Offset of the global ids, in work-items.
    pub global_offset: [u64; 3],
    /// Global size, in work-items.
    pub global_size: [u64; 3],
    /// Enqueued work-group size, in work-items. The last group of a dimension is smaller if this does not divide
    /// `global_size`.
    pub local_size: [u64; 3],
    /// Number of work-groups.
    pub num_groups: [u64; 3],
    /// Address of the argument block, laid out as `KernelSignature` of `oxicl-validate` says. A pointer to local memory
    /// is in it as the offset, in bytes, from the start of the context block.
    pub arguments: u64,
    /// Address of the program's block of program-scope variables; 0 if it has none.
    pub program_block: u64,
    /// Offset, in bytes, of the state area in the context block: local memory lies before it.
    pub state_offset: u64,
    /// Address of the [`Services`]; they live as long as the process.
    pub services: u64,
}

/// What a kernel may ask of the process that it runs in: functions that it calls on its own stack. They catch their own
/// panics, and keep no address that they are given.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Services {
    /// Prints a text at once.
    pub printf: Printf,
}

/// Prints. `format` ends with a null character. `shapes` is the number of arguments and then, for each, the word that
/// `oxicl-printf` makes of its type. `values` has the bits of all their components, one after the other. The result is 0,
/// or -1 if nothing was printed.
pub type Printf = unsafe extern "C" fn(format: *const u8, shapes: *const u32, values: *const u64) -> i32;

/// A compiled kernel. Runs the work-groups `first .. first + count`, in linear order (x fastest), to their end on the
/// calling thread. `context` is a block of at least [`KernelFacts::context_bytes`](crate::KernelFacts::context_bytes)
/// bytes, aligned to [`CONTEXT_ALIGN`], that nobody else uses meanwhile; its content need not be initialised.
pub type Entry = unsafe extern "C" fn(launch: *const LaunchRecord, context: *mut u8, first: u64, count: u64);
