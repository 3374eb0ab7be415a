// Inclusive sums within a work-group from sub-group scans, and the largest value of each group. Results do not depend
// on the sub-group size.
//! kernel scan
//! global 524288
//! local 128
//! arg in: buffer int 524288 random -1000 1000
//! arg out: buffer int 524288 zero
//! arg largest: buffer int 4096 zero
//! options -cl-std=CL3.0

#pragma OPENCL EXTENSION cl_khr_subgroups : enable

kernel void scan(global const int *in, global int *out, global int *largest)
{
    local int sums[128];
    local int tops[128];
    const size_t gid = get_global_id(0);
    const uint sg = get_sub_group_id(), n = get_num_sub_groups();
    const int v = in[gid];
    int s = sub_group_scan_inclusive_add(v);
    const int top = sub_group_reduce_max(v);
    if (get_sub_group_local_id() == get_sub_group_size() - 1) {
        sums[sg] = s;
        tops[sg] = top;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < sg; k++)
        s += sums[k];
    out[gid] = s;
    if (get_local_id(0) == 0) {
        int all = tops[0];
        for (uint k = 1; k < n; k++)
            all = max(all, tops[k]);
        largest[get_group_id(0)] = all;
    }
}
