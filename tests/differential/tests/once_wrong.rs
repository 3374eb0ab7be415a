//! Kernels that were wrong once, each as small as it could be made.

/// LLVM moved the load behind the store, as both are under the mask by which the choice is made.
#[test]
fn what_is_stored_over_under_a_condition_was_loaded_before() {
    let source = "
        kernel void k(global uint *out, global const uint *in, uint n, local uint *scratch) {
            const size_t me = get_global_linear_id(), all = get_global_size(0) * get_global_size(1) * get_global_size(2);
            uint old = n;
            if (in[me & 63u] & 1u) {
                old = out[me];
                out[me] = n ^ 5u;
            }
            out[all + me] = old;
        }";
    for seed in 0..4 {
        oxicl_differential::check_source(seed, source).unwrap_or_else(|difference| panic!("{}", difference.what));
    }
}
