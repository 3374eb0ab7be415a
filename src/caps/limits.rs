//! Sizes and counts of the device.

use crate::cpu::Cpu;
use crate::machine::Machine;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// Parameters of a function in SPIR-V: a universal limit of its specification.
const MAX_PARAMETERS: u64 = 255;

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
    /// Size of the buffer that printf writes to, in bytes. At least 1 MiB.
    pub printf_bytes: u64,
}

impl Limits {
    /// Limits on a machine.
    pub fn new(machine: &Machine, cpu: &Cpu) -> Self {
        let global_bytes = machine.memory_bytes;
        Limits {
            compute_units: machine.cpus,
            max_work_group_size: 8192,
            // Numbers of 32 bits in a vector register.
            sub_group_size: (cpu.vector_bytes() / 4).max(4),
            sub_group_sizes: vec![4, 8, 16, 32, 64],
            max_parameter_bytes: MAX_PARAMETERS * 8,
            max_local_bytes: 256 * KIB,
            max_constant_bytes: 64 * MIB,
            // One parameter is left for a result.
            max_constant_args: MAX_PARAMETERS as u32 - 1,
            max_global_variable_bytes: 64 * MIB,
            global_bytes,
            max_alloc_bytes: (global_bytes / 2).max((global_bytes / 4).min(GIB)).max(32 * MIB) / 4096 * 4096,
            base_align: 128,
            printf_bytes: MIB,
        }
    }
}
