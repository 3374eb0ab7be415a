//! What a kernel takes and asks for, and where its arguments and the variables of its program lie.

use std::collections::HashMap;
use std::ops::Range;

use oxicl_spirv::{Id, ImageType};

/// The bytes that something takes in a block when it is placed behind contents that end at `end`. `None` on overflow.
pub fn behind(end: u64, size: u64, align: u64) -> Option<Range<u64>> {
    let start = end.checked_next_multiple_of(align)?;
    Some(start..start.checked_add(size)?)
}

/// A kernel as the host sees it. The same module gives the same signature in the application and in the compiler, so
/// the argument block needs no further agreement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelSignature {
    /// The OpFunction.
    pub function: Id,
    /// Name of the entry point.
    pub name: String,
    /// Arguments in order.
    pub arguments: Vec<Argument>,
    /// Size of the argument block, in bytes; its alignment is 128.
    pub argument_bytes: u32,
    /// `LocalSize` execution mode: the required work-group size.
    pub required_work_group_size: Option<[u32; 3]>,
    /// `LocalSizeHint` execution mode.
    pub work_group_size_hint: Option<[u32; 3]>,
    /// `VecTypeHint` execution mode, as its operand.
    pub vec_type_hint: Option<u32>,
    /// `SubgroupSize` execution mode.
    pub required_sub_group_size: Option<u32>,
    /// `SubgroupsPerWorkgroup` execution mode: the required number of sub-groups of a work-group.
    pub required_sub_groups: Option<u32>,
    /// What the kernel promises of its launches.
    pub launch: LaunchPromise,
    /// Local memory of the Workgroup variables in its call tree, in bytes: an upper bound that the compiler may lower.
    pub local_bytes: u64,
}

impl KernelSignature {
    /// The signature of a kernel that asks for nothing and promises nothing, without Workgroup variables.
    pub fn new(function: Id, name: impl Into<String>, arguments: Vec<Argument>) -> KernelSignature {
        KernelSignature {
            function,
            name: name.into(),
            argument_bytes: arguments.iter().map(|argument| argument.offset + argument.size).max().unwrap_or(0),
            arguments,
            required_work_group_size: None,
            work_group_size_hint: None,
            vec_type_hint: None,
            required_sub_group_size: None,
            required_sub_groups: None,
            launch: LaunchPromise::default(),
            local_bytes: 0,
        }
    }

    /// The signature of the same kernel with the first two dimensions swapped.
    #[must_use]
    pub fn turned(mut self) -> KernelSignature {
        let sizes =
            [&mut self.required_work_group_size, &mut self.work_group_size_hint, &mut self.launch.max_work_group_size];
        sizes.into_iter().flatten().for_each(|size| size.swap(0, 1));
        self
    }
}

/// What a kernel promises of its launches by the execution modes of SPV_INTEL_kernel_attributes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaunchPromise {
    /// `MaxWorkgroupSizeINTEL`: work-groups are no larger.
    pub max_work_group_size: Option<[u32; 3]>,
    /// `MaxWorkDimINTEL`: further dimensions have one work-item; with 0 there is only one.
    pub max_dimensions: Option<u32>,
    /// `NoGlobalOffsetINTEL`: the offset is zero.
    pub no_offset: bool,
}

/// A kernel argument and its place in the argument block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argument {
    /// What it is.
    pub kind: ArgumentKind,
    /// Size, in bytes, that `clSetKernelArg` asks for (8 for pointers; 3-vectors as 4-vectors).
    pub size: u32,
    /// Alignment in the argument block, in bytes.
    pub align: u32,
    /// Offset in the argument block, in bytes.
    pub offset: u32,
}

/// Kinds of kernel argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentKind {
    /// A scalar or vector; the block holds its bytes.
    Value,
    /// A pointer parameter decorated `FuncParamAttr ByVal`; the block holds the bytes pointed to.
    ByValue,
    /// A pointer to global memory; the block holds the address.
    Global,
    /// A pointer to constant memory; the block holds the address.
    Constant,
    /// A pointer to local memory; the block holds the offset from the context block.
    Local {
        /// Alignment of the memory, that of the pointee type, in bytes.
        align: u32,
    },
    /// An image; the block holds the address of its descriptor ([`ImageDescriptor`](crate::ImageDescriptor)).
    Image(ImageType),
    /// A sampler; the block holds its bits ([`SamplerBits`](crate::SamplerBits)).
    Sampler,
}

/// The block of program-scope variables: CrossWorkgroup variables, and the UniformConstant variables that hold or give
/// their address to one of these. Other UniformConstant variables are read-only data of the images.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramBlock {
    /// Initial content.
    pub initial: Vec<u8>,
    /// Alignment, in bytes.
    pub align: u32,
    /// Pointers into the block itself: the word at offset `.0` becomes the block's address plus `.1`.
    pub pointers: Vec<(u64, u64)>,
    /// Offset of each variable, in bytes.
    pub offsets: HashMap<Id, u64>,
    /// Bytes of CrossWorkgroup variables, for `CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE`.
    pub global_bytes: u64,
}
