// Whatever a work-item may ask about its place, and what its neighbour of the work-group has stored.
ulong all(ulong hash, uint dimension)
{
    hash = hash * 31 + get_global_id(dimension);
    hash = hash * 31 + get_global_size(dimension);
    hash = hash * 31 + get_global_offset(dimension);
    hash = hash * 31 + get_local_id(dimension);
    hash = hash * 31 + get_local_size(dimension);
    hash = hash * 31 + get_enqueued_local_size(dimension);
    hash = hash * 31 + get_group_id(dimension);
    return hash * 31 + get_num_groups(dimension);
}

#pragma OPENCL EXTENSION cl_khr_subgroups : enable

// The same of its sub-group.
kernel void grouped(global ulong *out, local ulong *shared)
{
    uint place = get_sub_group_local_id();
    uint sum = sub_group_scan_inclusive_add(place * place + 1 + (uint)get_global_id(1) * 3);
    shared[get_local_linear_id()] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    ulong hash = get_sub_group_size() * 31 + get_max_sub_group_size();
    hash = (hash * 31 + get_num_sub_groups()) * 31 + get_sub_group_id();
    out[get_global_linear_id()] = (hash * 31 + place) * 31 + sum + shared[0];
}

// Neighbours along y lie side by side in memory.
kernel void down(global ulong *out, local uint *shared)
{
    size_t rows = get_local_size(1), y = get_local_id(1);
    size_t column = (get_local_id(2) * get_local_size(0) + get_local_id(0)) * rows;
    uint hash = get_global_id(0) * 31 + get_global_id(1) * 5 + get_group_id(0) * 7 + get_group_id(1) + get_work_dim();
    shared[column + y] = hash;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint first = shared[column], last = shared[column + rows - 1], other = shared[column + rows - 1 - y];
    size_t i = get_global_id(0) - get_global_offset(0), j = get_global_id(1) - get_global_offset(1);
    size_t k = get_global_id(2) - get_global_offset(2);
    global uint *place = (global uint *)&out[(k * get_global_size(0) + i) * get_global_size(1)];
    place[j] = hash + first * 5 + last * 3 + other;
}

kernel void placed(global ulong *out, local ulong *shared)
{
    size_t place = get_local_linear_id();
    ulong hash = all(all(all(get_work_dim(), 0), 1), 2);
    shared[place] = hash;
    barrier(CLK_LOCAL_MEM_FENCE);
    size_t size = get_local_size(0) * get_local_size(1) * get_local_size(2);
    out[get_global_linear_id()] = hash * 31 + shared[(place + 1) % size] * 7 + place;
}
