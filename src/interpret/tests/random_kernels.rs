//! The reference device executes what the generator makes.

use std::sync::Arc;

use oxicl_caps::DeviceCaps;
use oxicl_interpret::{FlatMemory, Launch, NdRange, Program};
use oxicl_offline::Level;

#[test]
fn random_kernels_run_to_their_end() {
    for seed in 0..24 {
        let source = oxicl_generator::kernel(seed);
        let bytes =
            oxicl_offline::compile(&source, Level::Plain).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let words = oxicl_spirv::words_from_bytes(&bytes).expect("words");
        let module = oxicl_spirv::decode(&words).expect("decoded");
        let valid = oxicl_validate::validate(module, DeviceCaps::host())
            .unwrap_or_else(|violations| panic!("seed {seed}: {violations:?}"));
        let program = Program::new(Arc::new(valid)).expect("prepared");
        let kernel = program.kernel("k").expect("the kernel");
        let mut memory = FlatMemory::default();
        let items = 24usize;
        let out = memory.add(vec![0; (items * oxicl_generator::WORDS_PER_ITEM + oxicl_generator::SHARED_WORDS) * 4]);
        let input = memory.add((0..oxicl_generator::INPUT_WORDS as u32 * 4).map(|byte| (byte * 37) as u8).collect());
        let mut block = Vec::new();
        block.extend_from_slice(&out.to_le_bytes());
        block.extend_from_slice(&input.to_le_bytes());
        block.extend_from_slice(&7u64.to_le_bytes());
        block.extend_from_slice(&kernel.local_bytes().next_multiple_of(128).to_le_bytes());
        let range = NdRange { work_dim: 2, global_offset: [0; 3], global_size: [6, 4, 1], local_size: [4, 3, 1] };
        let launch = Launch {
            arguments: &block,
            dynamic_local: 512,
            program_block: 0,
            steps: 10_000_000,
            print_limit: 0,
            sub_group_size: 8,
        };
        program
            .run(&kernel, &range, &launch, &mut memory)
            .unwrap_or_else(|fault| panic!("seed {seed}: {fault}\n{source}"));
        assert!(
            memory.object(out).is_some_and(|bytes| bytes.iter().any(|byte| *byte != 0)),
            "seed {seed} stored nothing"
        );
    }
}
