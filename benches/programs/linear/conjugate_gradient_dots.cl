// The two dot products of a conjugate gradient step at once: every group reduces its share of r.r and p.q to one pair
// of doubles.
//! kernel cg_dots
//! global 2048
//! local 128
//! arg r: buffer float 1000003 random -1 1
//! arg p: buffer float 1000003 random -1 1
//! arg q: buffer float 1000003 random 0 1
//! arg partial: buffer double 32 zero
//! arg n: int 1000003

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void cg_dots(global const float *r, global const float *p, global const float *q, global double2 *partial, int n)
{
    local double2 sums[128];
    uint lid = get_local_id(0);
    double2 s = (double2)(0.0, 0.0);

    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        s.x += (double)r[i] * r[i];
        s.y += (double)p[i] * q[i];
    }
    sums[lid] = s;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint stride = 64; stride > 0; stride /= 2) {
        if (lid < stride)
            sums[lid] += sums[lid + stride];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0)
        partial[get_group_id(0)] = sums[0];
}
