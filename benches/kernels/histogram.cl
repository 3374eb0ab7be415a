// Histogram of bytes: atomics on local memory, then on global memory.
#define BINS 256

kernel void histogram(volatile global uint *restrict bins, global const uchar *restrict values, uint n)
{
    local uint own[BINS];
    for (uint i = get_local_id(0); i < BINS; i += get_local_size(0))
        own[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_add(&own[values[i]], 1u);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_local_id(0); i < BINS; i += get_local_size(0))
        atomic_add(&bins[i], own[i]);
}
