// Histogram of one 8-bit digit of long keys, one row of 256 counters per group, four keys at a time.
//! kernel histogram
//! global 32768
//! local 256
//! arg keys: buffer uint 2097152 random 0 4294967295
//! arg counts: buffer uint 32768 zero
//! arg shift: int 16
//! arg n: int 2097152

kernel void histogram(global const uint4 *keys, global uint *counts, int shift, int n)
{
    local uint bins[256];
    const int lid = get_local_id(0), per_group = n / 4 / get_num_groups(0);
    bins[lid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    global const uint4 *p = keys + get_group_id(0) * per_group;
    for (int i = lid; i < per_group; i += get_local_size(0)) {
        const uint4 d = (p[i] >> (uint4)(shift)) & (uint4)(255);
        atomic_inc(bins + d.x);
        atomic_inc(bins + d.y);
        atomic_inc(bins + d.z);
        atomic_inc(bins + d.w);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    counts[get_group_id(0) * 256 + lid] = bins[lid];
}
