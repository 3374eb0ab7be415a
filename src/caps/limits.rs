//! Sizes and counts of the device.

use crate::cpu::Cpu;
use crate::machine::Machine;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// Parameters of a function in SPIR-V: a universal limit of its specification.
const MAX_PARAMETERS: u64 = 255;

/// What a work-group keeps (its local memory, and what lives across its barriers) is at most this large, in bytes:
/// `CL_KERNEL_WORK_GROUP_SIZE` falls so that it is.
pub const CONTEXT_LIMIT: u64 = 64 * MIB;

/// Work-items of a work-group, in all and along each dimension, on every machine.
pub const MAX_WORK_GROUP_SIZE: u64 = 8192;

/// Sizes and counts. The specification's minimum stands beside each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Compute units of the whole device: one per CPU.
    pub compute_units: u32,
    /// Work-items of a work-group, in all and per dimension. At least 1.
    pub max_work_group_size: u64,
    /// S: the sub-group size of a kernel that asks for none.
    pub sub_group_size: u32,
    /// Sub-group sizes that a kernel can ask for.
    pub sub_group_sizes: Vec<u32>,
    /// Named barriers that a work-group uses at a time. At least 8, where there are such barriers.
    pub max_named_barriers: u32,
    /// Size of all kernel arguments together, in bytes. At least 1024.
    pub max_parameter_bytes: u64,
    /// Local memory of a work-group, in bytes. At least 32 KiB.
    pub max_local_bytes: u64,
    /// Size of a constant argument, in bytes. At least 64 KiB.
    pub max_constant_bytes: u64,
    /// Number of constant arguments. At least 8.
    pub max_constant_args: u32,
    /// Size of a program-scope variable, in bytes. At least 64 KiB where there are such variables.
    pub max_global_variable_bytes: u64,
    /// Global memory, in bytes.
    pub global_bytes: u64,
    /// Size of a memory object, in bytes. At least a quarter of the global memory or 1 GiB, whichever is less, and
    /// 32 MiB.
    pub max_alloc_bytes: u64,
    /// Alignment of memory objects, in bytes; sub-buffers start at multiples of it. At least that of the largest type,
    /// `long16`.
    pub base_align: u32,
    /// Sizes of images, where there are any.
    pub images: ImageLimits,
    /// Size of the buffer that printf writes to, in bytes. At least 1 MiB.
    pub printf_bytes: u64,
}

/// Sizes and counts of images. The specification's minimum stands beside each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageLimits {
    /// Width and height of 2D images, and width of 1D images, in texels. At least 16384.
    pub max_2d: u32,
    /// Width, height and depth of 3D images, in texels. At least 2048.
    pub max_3d: u32,
    /// Width of 1D images that are buffers, in texels. At least 65536.
    pub max_buffer: u32,
    /// Images of an array. At least 2048.
    pub max_layers: u32,
    /// Arguments that are images to be read. At least 128.
    pub max_read_args: u32,
    /// Arguments that are images to be written. At least 64.
    pub max_write_args: u32,
    /// Arguments that are images to be read and written. At least 64, where there are such arguments.
    pub max_read_write_args: u32,
    /// Samplers that a kernel uses. At least 16.
    pub max_samplers: u32,
    /// Row pitch of images that are buffers, in texels: a multiple of this.
    pub pitch_align: u32,
    /// Start of images that are buffers, in texels: a multiple of this.
    pub base_align: u32,
}

impl ImageLimits {
    fn new() -> Self {
        ImageLimits {
            max_2d: 16384,
            max_3d: 2048,
            max_buffer: 1 << 27,
            max_layers: 2048,
            max_read_args: 128,
            max_write_args: 128,
            max_read_write_args: 128,
            max_samplers: 32,
            pitch_align: 1,
            base_align: 1,
        }
    }
}

impl Limits {
    /// Limits on a machine.
    pub fn new(machine: &Machine, cpu: &Cpu) -> Self {
        let global_bytes = machine.memory_bytes;
        Limits {
            compute_units: machine.cpus,
            max_work_group_size: MAX_WORK_GROUP_SIZE,
            // Numbers of 32 bits in a vector register.
            sub_group_size: (cpu.vector_bytes() / 4).max(4),
            sub_group_sizes: vec![4, 8, 16, 32, 64],
            max_named_barriers: 64,
            max_parameter_bytes: MAX_PARAMETERS * 8,
            max_local_bytes: 256 * KIB,
            max_constant_bytes: 64 * MIB,
            // One parameter is left for a result.
            max_constant_args: MAX_PARAMETERS as u32 - 1,
            max_global_variable_bytes: 64 * MIB,
            global_bytes,
            max_alloc_bytes: (global_bytes / 2).max((global_bytes / 4).min(GIB)).max(32 * MIB) / 4096 * 4096,
            base_align: 128,
            images: ImageLimits::new(),
            printf_bytes: MIB,
        }
    }
}
