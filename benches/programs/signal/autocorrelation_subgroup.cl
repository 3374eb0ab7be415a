// Autocorrelation of blocks of samples: a work-group takes one lag of one block, sub-groups add up the products, and
// the sub-group sums meet in local memory.
//! kernel autocorr
//! global 4096 64
//! local 64 1
//! arg x: buffer float 65536 random -1 1
//! arg r: buffer float 4096 zero
//! arg scratch: local 256
//! options -cl-std=CL3.0
//! tolerance 1e-3

#pragma OPENCL EXTENSION cl_khr_subgroups : enable

kernel void autocorr(global const float *x, global float *r, local float *scratch)
{
    int lag = get_group_id(0);
    int block = get_global_id(1);
    global const float *b = x + block * 1024;
    float sum = 0.0f;

    for (int t = get_local_id(0); t + lag < 1024; t += get_local_size(0))
        sum += b[t] * b[t + lag];
    sum = sub_group_reduce_add(sum);
    if (get_sub_group_local_id() == 0)
        scratch[get_sub_group_id()] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        float total = 0.0f;
        for (uint s = 0; s < get_num_sub_groups(); s++)
            total += scratch[s];
        r[block * get_num_groups(0) + lag] = total / (1024 - lag);
    }
}
