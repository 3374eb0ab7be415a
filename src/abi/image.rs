//! Finished object code: one blob per image, with no symbol or relocation left but base-relative 64-bit fix-ups.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::launch::{CONTEXT_ALIGN, GroupStyle};

/// How much the compiler may spend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Tier {
    /// Everything that makes kernels fast.
    #[default]
    Full,
    /// Code that is ready soon and runs well: gangs of one register per value, regions of one body each, and few
    /// passes. It computes the same bits as at the full tier.
    Baseline,
    /// One work-item after the other and linear-time passes only: for huge modules, and for the last try after workers
    /// died.
    Cheap,
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Tier::Full => "full",
            Tier::Baseline => "baseline",
            Tier::Cheap => "cheap",
        })
    }
}

/// Granularity, in bytes, of memory protection: code is executable, data is not.
pub const PAGE: usize = 4096;

/// Object code of one or more kernels with their call trees.
///
/// In memory: `code` (read, execute) from the base, padded to [`PAGE`], then `data` (read only).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// Machine code, position-independent.
    pub code: Vec<u8>,
    /// Read-only data.
    pub data: Vec<u8>,
    /// Offsets from the base, in bytes and inside `data`, of 64-bit words to which the base address is added.
    pub fixups: Vec<u64>,
    /// One entry per kernel, in no order.
    pub kernels: Vec<KernelFacts>,
    /// What callers are told of the kernels, if their code is simpler than the full tier's; else empty.
    pub planned: Vec<KernelFacts>,
    /// The tier of the code, which may be lower than the one that was asked for.
    pub tier: Tier,
}

impl Image {
    /// What callers are told of a kernel, whichever tier's code it has.
    pub fn planned(&self, kernel: &KernelFacts) -> KernelFacts {
        self.planned.iter().find(|planned| planned.name == kernel.name).unwrap_or(kernel).planned()
    }

    /// Offset of `data` from the base, in bytes.
    pub fn data_offset(&self) -> usize {
        self.code.len().next_multiple_of(PAGE)
    }
}

/// What is known of a compiled kernel beyond its signature.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelFacts {
    /// Name of the entry point.
    pub name: String,
    /// Offset of the [`Entry`](crate::Entry) from the image's base, in bytes.
    pub entry: u64,
    /// How work-groups are given to its entry.
    pub style: GroupStyle,
    /// Local memory of the kernel's own variables, in bytes. Local arguments follow it.
    pub local_bytes: u64,
    /// State kept per work-group, in bytes.
    pub state_bytes_per_group: u64,
    /// State kept per gang (what lives across a barrier, and large private objects), in bytes.
    pub state_bytes_per_gang: u64,
    /// Private memory per work-item, in bytes, as `CL_KERNEL_PRIVATE_MEM_SIZE` reports it.
    pub private_bytes: u64,
    /// Stack that one call of the entry takes, in bytes: its return address, and the frames of all functions on the
    /// deepest chain of calls, with spills and arguments of callees. A fiber takes no more. The stack of services is
    /// not in it.
    pub stack_bytes: u64,
    /// Work-groups of several rows take less time: work-items of a column load the same in a loop, and find it in the
    /// caches, or neighbours in two dimensions leave a loop at about the same time.
    pub columns: bool,
    /// Gangs along y would take much less time, as accesses are contiguous along y.
    pub turns: bool,
    /// Code that relies on buffers that do not overlap would take less time.
    pub disjoint: bool,
    /// Bytes of global memory that a work-item touches, if some of its stores may be streaming stores
    /// ([`LaunchRecord::streams`](crate::LaunchRecord::streams)); else 0.
    pub streamed_bytes: u32,
    /// The longest row, in work-items, that takes less time one work-item after the other than as a gang in which lanes
    /// are missing; 0 if none does.
    pub scalar_rows: u32,
    /// The lengths of rows for which gangs of as many lanes take much less time: the sum of these lengths, which are
    /// powers of two.
    pub narrow_rows: u32,
    /// V: work-items in flight together. A gang is a run of this many along x.
    pub lanes: u32,
    /// S: the sub-group size.
    pub sub_group_size: u32,
    /// It may print. What it printed has to be visible when it is over.
    pub prints: bool,
    /// What the compiler decided and why, one line each, for the verbose build log.
    pub remarks: Vec<String>,
}

impl KernelFacts {
    /// Whether code with these facts may run where callers were told `planned`: the facts that sizes and layouts are
    /// based on are equal.
    pub fn keeps(&self, planned: &KernelFacts) -> bool {
        self.name == planned.name
            && self.local_bytes == planned.local_bytes
            && self.sub_group_size == planned.sub_group_size
    }

    /// The facts that are known before there is code, whichever code that will be.
    pub fn planned(&self) -> KernelFacts {
        KernelFacts { entry: 0, stack_bytes: 0, style: GroupStyle::default(), ..self.clone() }
    }

    /// Bytes at the start of the context block that hold local memory, `dynamic_local` bytes of it for local arguments;
    /// this is `LaunchRecord::state_offset`. `None` on overflow.
    pub fn local_area(&self, dynamic_local: u64) -> Option<u64> {
        self.local_bytes.checked_add(dynamic_local)?.checked_next_multiple_of(CONTEXT_ALIGN)
    }

    /// Bytes of context that a work-group of `local_size` work-items needs; `None` on overflow.
    pub fn context_bytes(&self, local_size: [u64; 3], dynamic_local: u64) -> Option<u64> {
        let gangs = local_size[0]
            .div_ceil(u64::from(self.lanes.max(1)))
            .checked_mul(local_size[1])?
            .checked_mul(local_size[2])?;
        self.local_area(dynamic_local)?
            .checked_add(self.state_bytes_per_group.checked_next_multiple_of(CONTEXT_ALIGN)?)?
            .checked_add(self.state_bytes_per_gang.checked_mul(gangs)?)
    }
}
