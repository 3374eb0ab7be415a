// 27-point stencil on the interior of a 3-D grid of doubles; faces, edges and corners have their own weights. The grid
// does not divide into whole work-groups.
//! kernel stencil27
//! global 94 90 61
//! local 32 4 2
//! arg in: buffer double 556416 random -1 1
//! arg out: buffer double 556416 zero
//! arg nx: int 96
//! arg ny: int 92
//! arg w: buffer double 4 random 0.01 0.2
//! options -cl-std=CL3.0
//! tolerance 1e-10

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void stencil27(global const double *restrict in, global double *restrict out, int nx, int ny, constant double *w)
{
    int x = get_global_id(0) + 1;
    int y = get_global_id(1) + 1;
    int z = get_global_id(2) + 1;
    double sum[4] = {0.0, 0.0, 0.0, 0.0};

    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                int kind = (dx != 0) + (dy != 0) + (dz != 0);
                sum[kind] += in[((z + dz) * ny + (y + dy)) * nx + (x + dx)];
            }
    out[(z * ny + y) * nx + x] = w[0] * sum[0] + w[1] * sum[1] + w[2] * sum[2] + w[3] * sum[3];
}
