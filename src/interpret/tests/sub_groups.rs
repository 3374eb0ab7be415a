//! The reference device lets a sub-group meet whole.

use std::sync::Arc;

use oxicl_caps::DeviceCaps;
use oxicl_interpret::{FlatMemory, Launch, NdRange, Program};
use oxicl_offline::Level;

#[test]
fn a_sub_group_meets_with_a_member_that_has_very_much_to_do_before() {
    // More instructions than one work-item executes before others go on, and no loop in which they would wait for it.
    let much = "x ^= x << 7; x += n; ".repeat(3000);
    let source = format!(
        "kernel void k(global uint *out, uint n) {{
            uint x = get_global_id(0);
            if (x == 3) {{ {much} }}
            out[get_global_id(0)] = sub_group_reduce_add(1u) + (x & n);
        }}"
    );
    let bytes = oxicl_offline::compile(&source, Level::Plain).unwrap_or_else(|error| panic!("{error}"));
    let words = oxicl_spirv::words_from_bytes(&bytes).expect("words");
    let module = oxicl_spirv::decode(&words).expect("decoded");
    let valid = oxicl_validate::validate(module, DeviceCaps::host()).unwrap_or_else(|error| panic!("{error:?}"));
    let program = Program::new(Arc::new(valid)).expect("prepared");
    let kernel = program.kernel("k").expect("the kernel");
    let mut memory = FlatMemory::default();
    let out = memory.add(vec![0; 16 * 4]);
    let mut block = out.to_le_bytes().to_vec();
    block.extend_from_slice(&0u64.to_le_bytes());
    let range = NdRange { work_dim: 1, global_offset: [0; 3], global_size: [16, 1, 1], local_size: [16, 1, 1] };
    let launch = Launch {
        arguments: &block,
        dynamic_local: 0,
        program_block: 0,
        steps: 10_000_000,
        print_limit: 0,
        sub_group_size: 8,
    };
    program.run(&kernel, &range, &launch, &mut memory).unwrap_or_else(|fault| panic!("{fault}"));
    let sums: Vec<u8> = memory.object(out).expect("the buffer").iter().copied().step_by(4).collect();
    assert_eq!(sums, [8; 16]);
}
