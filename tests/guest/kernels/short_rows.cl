// For work-groups of few work-items, whose gangs would lack most of their lanes. None of them run as one, as they share local memory.
// Products of long numbers take gangs several instructions, and a work-item one.
kernel void short_rows(global uint *out, local uint *shared, uint steps)
{
    uint place = get_local_id(0), size = get_local_size(0);
    ulong hash = get_global_id(0) * 31 + get_group_id(0);
    for (uint k = 0; k < steps; ++k)
        hash = hash * 6364136223846793005UL + (hash >> 13);
    shared[place] = hash >> 32;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = shared[size - 1 - place] + size;
}
