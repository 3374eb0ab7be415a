// Skips whole sub-groups of rows that cannot pass a cheap test, tests the others by a costly one, and adds up what
// passes by sub-group and work-group. The result does not depend on the sub-group size.
//! kernel filter
//! global 524288
//! local 64
//! arg region: buffer uchar 524288 random 0 200
//! arg amount: buffer int 524288 random -50000 50000
//! arg flags: buffer uchar 524288 zero
//! arg totals: buffer long 8192 zero
//! arg wanted: uchar 3
//! options -cl-std=CL3.0

#pragma OPENCL EXTENSION cl_khr_subgroups : enable

static int costly_test(int x)
{
    uint h = x;
    for (int i = 0; i < 8; i++)
        h = (h ^ (h >> 13)) * 0x5bd1e995u + i;
    return (h & 3) != 0;
}

kernel void filter(global const uchar *region, global const int *amount, global uchar *flags, global long *totals,
                   uchar wanted)
{
    local long part[64];
    const size_t i = get_global_id(0);
    const int cheap = region[i] <= wanted;
    long v = 0;
    uchar flag = 0;
    if (sub_group_any(cheap)) {
        const int pass = cheap && costly_test(amount[i]);
        flag = pass;
        v = sub_group_reduce_add(pass ? (long)amount[i] : 0L);
    }
    flags[i] = flag;
    if (get_sub_group_local_id() == 0)
        part[get_sub_group_id()] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        long sum = 0;
        for (uint s = 0; s < get_num_sub_groups(); s++)
            sum += part[s];
        totals[get_group_id(0)] = sum;
    }
}
