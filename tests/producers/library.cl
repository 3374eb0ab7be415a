// Functions of OpenCL C that clang 22 imports: those of OpenCL C 1.x on atomics, and minimum and maximum of numbers with a sign
// in generic memory.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
kernel __attribute__((reqd_work_group_size(4, 1, 1))) void k(global int *p, global float *q) {
    local uint counts[3];
    local int limits[4];
    local long wide;
    local float last;
    int l = get_local_id(0), n = p[l];
    if (l == 0) {
        for (int at = 0; at < 3; ++at) counts[at] = 7;
        for (int at = 0; at < 4; ++at) limits[at] = 5;
        wide = 1L << 40;
        last = 0.25f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&counts[0]);
    atomic_dec(&counts[1]);
    atomic_add(&counts[2], (uint)n);
    atomic_min(&limits[0], n);
    atomic_max(&limits[1], n);
    // Either may be meant: the address is generic.
    int *any = l & 1 ? &limits[2] : &limits[3];
    atomic_fetch_min((volatile atomic_int *)any, n);
    atom_inc(&wide);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 2) q[0] = atomic_xchg(&last, q[2]);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (l == 3) {
        q[1] = last;
        q[2] = (float)(wide - (1L << 40));
        q[3] = (float)(limits[2] * 1000 + limits[3]);
        p[0] = (int)counts[0] * 100 + (int)counts[1];
        p[1] = (int)counts[2];
        p[2] = limits[0];
        p[3] = limits[1];
    }
}
