// Sum per work-group: a strided loop, then a tree in local memory with a barrier in its loop.
kernel void reduce(global uint *restrict sums, global const uint *restrict values, uint n, local uint *partial)
{
    uint item = get_local_id(0);
    uint sum = 0;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        sum += values[i];
    partial[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
        if (item < half_size)
            partial[item] += partial[item + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0)
        sums[get_group_id(0)] = partial[0];
}
