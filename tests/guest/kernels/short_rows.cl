// For work-groups of few work-items: none of them run as one, as they have a barrier and share local memory.
kernel void short_rows(global uint *out, local uint *shared, uint steps)
{
    uint place = get_local_id(0), size = get_local_size(0);
    uint hash = get_global_id(0) * 31 + get_group_id(0);
    for (uint k = 0; k < steps; ++k)
        hash = hash * 1664525 + 1013904223 + (hash >> 13);
    shared[place] = hash;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = shared[size - 1 - place] + size;
}
