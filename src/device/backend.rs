//! A device: something that builds a valid module and runs its kernels.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use oxicl_abi::KernelFacts;
use oxicl_caps::DeviceCaps;
use oxicl_protocol::{BuildFailure, CompileOptions};
use oxicl_schedule::Job;
use oxicl_validate::ValidModule;

use crate::{ApiError, HostSpan};

/// A kind of device. The CPU is one.
pub trait Backend: Send + Sync {
    /// Builds all kernels of a module, at least until the program is no longer a reason to refuse it. The rest may go
    /// on in the background.
    ///
    /// # Errors
    /// The build log.
    fn build(
        &self,
        module: &Arc<ValidModule>,
        caps: &DeviceCaps,
        options: &CompileOptions,
    ) -> Result<Arc<dyn Executable>, BuildFailure>;

    /// Forgets work in the background that nobody waits for. It is done when somebody does.
    fn forget_unwanted(&self) {}
}

/// A built program.
pub trait Executable: Send + Sync {
    /// A kernel by name.
    fn kernel(&self, name: &str) -> Option<Arc<dyn DeviceKernel>>;

    /// What the compiler decided and why, one line each; empty unless options asked for it.
    fn remarks(&self) -> String {
        String::new()
    }
}

/// A kernel of a built program.
pub trait DeviceKernel: Send + Sync {
    /// What is known of it beyond its signature. Waits until that is known; the caller may hold no lock.
    ///
    /// # Errors
    /// `CL_OUT_OF_RESOURCES` if there can be no code for it.
    fn facts(&self) -> Result<&KernelFacts, ApiError>;

    /// Its code, if that is not there yet: what launches wait for.
    fn pending(&self) -> Option<Arc<dyn Pending>> {
        None
    }

    /// A launch, ready to be run, once or many times. The range has been checked against the rules of the API.
    ///
    /// # Errors
    /// `CL_OUT_OF_RESOURCES` if a work-group does not fit.
    fn launch(self: Arc<Self>, range: &NdRange, arguments: Arc<Arguments>) -> Result<Arc<dyn Job>, ApiError>;
}

/// Code that may still be on its way.
pub trait Pending: Send + Sync {
    /// Blocks a command that is about to enter a queue until the code is there, or never will be.
    fn hold(&self, command: Arc<dyn Waiter>);

    /// A thread waits for such a command: its code is made before any other.
    fn hasten(&self);
}

/// A command that waits for code.
pub trait Waiter: Send + Sync {
    /// Blocks it until [`Waiter::armed`] is called once more. Only before it has been armed.
    fn block(&self);

    /// Removes one block: what it was for is there.
    fn armed(self: Arc<Self>);
}

/// The surroundings of a launch: the application's context.
pub trait Surroundings: Send + Sync {
    /// Whether local memory is zeroed before each work-group.
    fn zeroes_local_memory(&self) -> bool;

    /// Tells the application about an error, on this thread, and whoever reads the log. No lock may be held.
    fn notify(&self, message: &str);

    /// The memory that a launch with these arguments may use, for devices that ask.
    fn lend(&self, arguments: &Arguments) -> Lent;
}

/// Memory that a launch may use.
#[derive(Default)]
pub struct Lent {
    /// The memory: what is there now.
    pub spans: Vec<HostSpan>,
    /// What keeps it there.
    pub keep: Vec<Arc<dyn Any + Send + Sync>>,
}

/// An index space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NdRange {
    /// Number of dimensions, 1 to 3. Further sizes are 1, further offsets 0.
    pub dimensions: u32,
    /// First global id.
    pub offset: [u64; 3],
    /// Work-items.
    pub global: [u64; 3],
    /// Work-items of a work-group; the last group of a dimension may have fewer.
    pub local: [u64; 3],
}

impl NdRange {
    /// Work-groups of each dimension.
    pub fn groups(&self) -> [u64; 3] {
        let count = |dimension: usize| self.global[dimension].div_ceil(self.local[dimension].max(1));
        [count(0), count(1), count(2)]
    }

    /// The range with its first two dimensions swapped.
    #[must_use]
    pub fn turned(&self) -> NdRange {
        let turned = |[x, y, z]: [u64; 3]| [y, x, z];
        let NdRange { dimensions, offset, global, local } = *self;
        NdRange { dimensions, offset: turned(offset), global: turned(global), local: turned(local) }
    }
}

/// The arguments of a kernel at the time of an enqueue. Kernels only read the block, so launches share it.
pub struct Arguments {
    /// The block, as `KernelSignature` lays it out.
    pub block: ArgumentBlock,
    /// Memory for local arguments, in bytes, with what their alignment needs.
    pub dynamic_local: u64,
    /// What the arguments refer to, which stays alive until the launch is over.
    pub keep: Vec<Arc<dyn Any + Send + Sync>>,
    /// The kernel's context; none in tests.
    pub context: Option<Arc<dyn Surroundings>>,
    /// The memory that the kernel may use beyond the buffers among the arguments.
    pub reach: Reach,
    /// No two arguments lead to the same memory. Also false if that is unknown, or does not matter to the kernel.
    pub disjoint: bool,
}

/// The memory that a launch may use beyond the buffers among its arguments. Only the reference device enforces it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// The application lends all memory of its own: it said so, or an argument is a pointer to some.
    pub system: bool,
    /// Every allocation of `clSVMAllocWithPropertiesKHR`.
    pub svm: bool,
    /// Every allocation of unified shared memory that the host owns.
    pub host: bool,
    /// Every such allocation that a device owns.
    pub device: bool,
    /// Every such allocation that both share.
    pub shared: bool,
    /// The allocations that these addresses lie in.
    pub pointers: Vec<usize>,
}

impl fmt::Debug for Arguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Arguments").field("block", &self.block).finish_non_exhaustive()
    }
}

/// Zeroed bytes, aligned to 128.
#[derive(Clone, Debug, Default)]
pub struct ArgumentBlock {
    lines: Vec<Line>,
}

/// Bytes of a line: the alignment of the block.
const LINE: usize = 128;

#[derive(Clone, Copy, Debug)]
#[repr(align(128))]
struct Line([u8; LINE]);

impl ArgumentBlock {
    /// A zeroed block of at least `bytes` bytes. `None` if there is no memory.
    pub fn new(bytes: usize) -> Option<Self> {
        let count = bytes.div_ceil(LINE).max(1);
        let mut lines = Vec::new();
        lines.try_reserve_exact(count).ok()?;
        lines.resize(count, Line([0; LINE]));
        Some(ArgumentBlock { lines })
    }

    /// Writes bytes at an offset. `None`, with nothing written, if they do not fit.
    pub fn write(&mut self, offset: usize, bytes: &[u8]) -> Option<()> {
        let end = offset.checked_add(bytes.len())?;
        if end > self.lines.len() * LINE {
            return None;
        }
        let mut places = self.lines.iter_mut().flat_map(|line| &mut line.0).skip(offset);
        for byte in bytes {
            *places.next()? = *byte;
        }
        Some(())
    }

    /// A copy of the block, with what fills its last line.
    pub fn bytes(&self) -> Vec<u8> {
        self.lines.iter().flat_map(|line| line.0).collect()
    }

    /// Address of the block; valid while it is alive and not written.
    pub fn address(&self) -> u64 {
        self.lines.as_ptr().addr() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::{ArgumentBlock, NdRange};

    #[test]
    fn a_block_takes_what_fits_across_its_lines() {
        let mut block = ArgumentBlock::new(200).unwrap();
        assert_eq!(block.address() % 128, 0);
        assert!(block.write(126, &[1, 2, 3, 4]).is_some());
        assert_eq!((block.lines[0].0[127], block.lines[1].0[0], block.lines[1].0[1]), (2, 3, 4));
        assert!(block.write(254, &[1, 2, 3]).is_none());
        assert!(block.write(usize::MAX, &[1, 2]).is_none());
    }

    #[test]
    fn the_last_group_of_a_dimension_counts() {
        let range = NdRange { dimensions: 2, offset: [0; 3], global: [10, 3, 1], local: [4, 3, 1] };
        assert_eq!(range.groups(), [3, 1, 1]);
    }
}
