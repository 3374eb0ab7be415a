//! The binary interface between the scheduler and a compiled kernel.

use core::ffi::c_void;

use serde::{Deserialize, Serialize};

/// Alignment, in bytes, of the context block and of the local memory and state in it.
pub const CONTEXT_ALIGN: u64 = 128;

/// What every work-group of one launch has in common. Generated code reads it by field offset, so the order is fixed;
/// `workgroup` takes the offsets from `core::mem::offset_of!`.
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
    /// Address of the argument block, laid out as [`KernelSignature`](crate::KernelSignature) says. A pointer to local
    /// memory is in it as the offset, in bytes, from the start of the context block.
    pub arguments: u64,
    /// Address of the program's block of program-scope variables; 0 if it has none.
    pub program_block: u64,
    /// Offset, in bytes, of the state area in the context block: local memory lies before it.
    pub state_offset: u64,
    /// Address of the [`Services`]; they live as long as the process.
    pub services: u64,
    /// All bits set if the kernel is to write with streaming stores, which bypass the caches; else 0. Whoever runs
    /// work-groups of such a launch issues a store fence after them.
    pub streams: u64,
}

impl LaunchRecord {
    /// Work-groups of all dimensions; `None` on overflow.
    pub fn groups(&self) -> Option<u64> {
        self.num_groups.iter().try_fold(1_u64, |all, groups| all.checked_mul(*groups))
    }

    /// Work-items of the launch, saturating.
    pub fn items(&self) -> u64 {
        saturating_product(self.global_size)
    }

    /// Work-items of a full work-group.
    pub fn group_items(&self) -> u64 {
        saturating_product(self.local_size)
    }
}

fn saturating_product(sizes: [u64; 3]) -> u64 {
    sizes.into_iter().fold(1, u64::saturating_mul)
}

/// What a kernel may ask of the process that it runs in: functions that it calls on its own stack. They catch their own
/// panics, and keep no address that they are given.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Services {
    /// Prints a text at once.
    pub printf: Printf,
    /// Runs the fibers of a work-group.
    pub run_fibers: RunFibers,
    /// A fiber lets others run, or waits at a barrier.
    pub pause: Pause,
    /// The fibers of a work-group make a named barrier.
    pub make_named_barrier: MakeNamedBarrier,
    /// A fiber waits at a named barrier.
    pub wait_at_named_barrier: WaitAtNamedBarrier,
}

/// Runs a sub-group or a work-item that may wait for others of its work-group, on a stack of its own. Takes what its
/// kernel's [`Entry`] was given, the number of the sub-group or work-item, and what is to be given to [`Pause`].
pub type Fiber = unsafe extern "C" fn(
    launch: LaunchAddress,
    context: *mut u8,
    group: *const GroupRecord,
    number: u64,
    fibers: *mut c_void,
);

/// Address of a launch record.
pub type LaunchAddress = *const LaunchRecord;

/// Runs `fiber` for the numbers below `count` until all have returned. They begin in this order.
pub type RunFibers =
    unsafe extern "C" fn(fiber: Fiber, launch: LaunchAddress, context: *mut u8, group: *const GroupRecord, count: u64);

/// Called by a fiber. If `barrier` is 0, what the fiber waits for has not come about, and others go on for a while.
/// Else this is a barrier: all fibers that have not returned come to it before any goes on. Then they go on in order,
/// each up to its next call.
pub type Pause = unsafe extern "C" fn(fibers: *mut c_void, barrier: u32);

/// Called by all fibers of a work-group, for which it is a barrier: makes a named barrier for `wanted` of them. All get
/// the same result.
pub type MakeNamedBarrier = unsafe extern "C" fn(fibers: *mut c_void, wanted: u32) -> u64;

/// Called by a fiber: waits until as many have come as `barrier`, a result of [`MakeNamedBarrier`], is for. Fibers that
/// wait for more than will come go on once all others have returned or wait, too.
pub type WaitAtNamedBarrier = unsafe extern "C" fn(fibers: *mut c_void, barrier: u64);

/// Prints. `format` ends with a null character. `shapes` is the number of arguments and then, for each, the word that
/// `oxicl-printf` makes of its type. `values` has the bits of all their components, one after the other. The result is
/// 0, or -1 if nothing was printed.
pub type Printf = unsafe extern "C" fn(format: *const u8, shapes: *const u32, values: *const u64) -> i32;

/// Which work-items a compiled kernel is to run: those of one work-group, or of several in a row along x that run as
/// one. Generated code reads it by field offset.
#[repr(C)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupRecord {
    /// Group id; of the first, if there are several.
    pub id: [u64; 3],
    /// Global id of the first work-item.
    pub base: [u64; 3],
    /// Work-items along each dimension.
    pub size: [u64; 3],
    /// The local id along z that is to be run, for a kernel that runs plane by plane.
    pub plane: u64,
}

/// A compiled kernel. Runs the work-items that `group` names to their end on the calling thread. `context` is a block
/// of at least [`KernelFacts::context_bytes`](crate::KernelFacts::context_bytes) bytes, aligned to [`CONTEXT_ALIGN`],
/// that nobody else uses meanwhile; its content need not be initialised.
pub type Entry = unsafe extern "C" fn(launch: *const LaunchRecord, context: *mut u8, group: *const GroupRecord);

/// How the work-groups of a kernel are given to its [`Entry`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupStyle {
    /// Work-groups in a row along x may run as one, if they have one work-item along y and z: nothing that the kernel
    /// does can tell them apart.
    pub merge: bool,
    /// Work-groups of several rows may, too, and should: accesses of work-items along x are contiguous.
    pub merge_rows: bool,
    /// Each call runs one plane of a work-group.
    pub planes: bool,
    /// Work-items of a fiber, if work-groups run in fibers; else 0.
    pub fiber: u32,
    /// Work-groups may start in any order: the kernel does nothing by which it could tell.
    pub any_order: bool,
    /// The most work-items along x of work-groups that are coalesced with their neighbours along x, as they are short
    /// for the kernel's gangs; 0 if none are. Coalesced work-groups have equally many. At most 32.
    pub most_coalesced: u32,
    /// What it accesses along y.
    pub along_y: AlongY,
}

impl GroupStyle {
    /// Whether work-groups of this size are so short for gangs that they are coalesced.
    pub fn coalesces(&self, [x, y, z]: [u64; 3]) -> bool {
        let most = if y > 1 || z > 1 { self.most_coalesced / 2 } else { self.most_coalesced };
        x > 0 && x <= u64::from(most)
    }

    /// How many work-groups of this size may run as one along x. Those of several rows whose accesses are not contiguous only
    /// fill a gang: what neighbouring rows access is close together in memory.
    pub fn groups_in_a_row(&self, local: [u64; 3]) -> u64 {
        let has_rows = local[1..] != [1, 1];
        match has_rows {
            true if self.merge_rows => u64::MAX,
            false if self.merge => u64::MAX,
            true if self.merge && self.any_order && !self.coalesces(local) => {
                (2 * u64::from(self.most_coalesced) / local[0].max(1)).max(1)
            }
            _ => self.groups_coalesced(local),
        }
    }

    /// How many work-groups of this size are coalesced along x because they are short; 1 if they are not.
    pub fn groups_coalesced(&self, local: [u64; 3]) -> u64 {
        if self.coalesces(local) { COALESCED_ITEMS / local[0] } else { 1 }
    }
}

/// What a kernel accesses along y: in an array, work-items that are neighbours along x access places that are far
/// apart, and neighbours along y do not, as in the input or output of a transposition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum AlongY {
    /// Nothing.
    #[default]
    Nothing,
    /// Arrays that it writes.
    Stores,
    /// Arrays that it reads, with this distance, in bytes, between neighbours along y.
    Loads(u32),
}

/// The most work-items along x of coalesced work-groups, in whose code each lane computes which work-group it is in.
pub const COALESCED_ITEMS: u64 = 4096;
