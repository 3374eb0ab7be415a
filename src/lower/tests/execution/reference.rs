//! The same kernels on the reference device.

use std::sync::Arc;

use oxicl_caps::DeviceCaps;
use oxicl_interpret::{FlatMemory, Launch, NdRange, Program};

use crate::harness::SAMPLES;

/// A module on the reference device.
pub struct Reference(Program);

impl Reference {
    /// Prepares a module.
    pub fn new(bytes: &[u8]) -> Self {
        let words = oxicl_spirv::words_from_bytes(bytes).expect("whole words");
        let module = oxicl_spirv::decode(&words).expect("decoded");
        let valid = oxicl_validate::validate(module, DeviceCaps::host()).unwrap_or_else(|found| panic!("{found:?}"));
        Reference(Program::new(Arc::new(valid)).expect("prepared"))
    }

    /// Runs a kernel whose arguments are buffers, the last of them for output, over the samples.
    pub fn run(&self, name: &str, inputs: &[&[u8]], size: usize) -> Vec<u8> {
        let kernel = self.0.kernel(name).expect("the kernel is in the module");
        let mut memory = FlatMemory::default();
        let mut block: Vec<u8> = inputs.iter().flat_map(|input| memory.add(input.to_vec()).to_le_bytes()).collect();
        let output = memory.add(vec![0xab; size]);
        block.extend(output.to_le_bytes());
        let range =
            NdRange { work_dim: 1, global_offset: [0; 3], global_size: [SAMPLES as u64, 1, 1], local_size: [50, 1, 1] };
        let launch = Launch {
            arguments: &block,
            dynamic_local: 0,
            program_block: 0,
            steps: 1_000_000_000,
            print_limit: 0,
            sub_group_size: oxicl_caps::DeviceCaps::host().limits.sub_group_size,
        };
        self.0.run(&kernel, &range, &launch, &mut memory).unwrap_or_else(|fault| panic!("{name}: {fault}"));
        memory.object(output).expect("the output").to_vec()
    }
}
