// RMS normalisation of rows with a work-group to a row: sub-groups reduce first, local memory gathers one partial sum
// from each sub-group.
//! kernel rmsnorm
//! global 256 500
//! local 256 1
//! arg x: buffer float 1024000 random -1 1
//! arg weight: buffer float 2048 random 0.8 1.2
//! arg y: buffer float 1024000 zero
//! arg dim: int 2048
//! arg eps: float 1e-6
//! options -cl-std=CL3.0

#pragma OPENCL EXTENSION cl_khr_subgroups : enable

kernel void rmsnorm(global const float *x, global const float *weight, global float *y, int dim, float eps)
{
    local float partial[256];
    int lid = get_local_id(0), lsize = get_local_size(0);
    global const float *row = x + get_group_id(1) * dim;

    float sum = 0.0f;
    for (int i = lid; i < dim; i += lsize)
        sum += row[i] * row[i];
    sum = sub_group_reduce_add(sum);
    if (get_sub_group_local_id() == 0)
        partial[get_sub_group_id()] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);

    float total = 0.0f;
    for (uint i = 0; i < get_num_sub_groups(); i++)
        total += partial[i];
    float scale = 1.0f / sqrt(total / dim + eps);

    for (int i = lid; i < dim; i += lsize)
        y[get_group_id(1) * dim + i] = row[i] * scale * weight[i];
}
