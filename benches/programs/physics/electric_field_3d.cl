// Yee scheme: updates the three electric field components of a 3-D grid from the curl of the magnetic field, with a
// conducting material given per cell as a byte index.
//! kernel update_e
//! global 64 64 64
//! local 32 2 2
//! arg hx: buffer float 262144 random -1 1
//! arg hy: buffer float 262144 random -1 1
//! arg hz: buffer float 262144 random -1 1
//! arg e_old: buffer float 1048576 random -1 1
//! arg e_new: buffer float 1048576 zero
//! arg material: buffer uchar 262144 random 0 7
//! arg coef: buffer float 16 random 0.2 0.9
//! tolerance 1e-5

size_t at(int x, int y, int z)
{
    int nx = get_global_size(0), ny = get_global_size(1);
    return ((size_t)z * ny + y) * nx + x;
}

kernel void update_e(global const float *hx, global const float *hy, global const float *hz, global const float4 *e_old,
                     global float4 *e_new, global const uchar *material, constant float2 *coef)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    size_t c = at(x, y, z);
    float4 e = e_old[c];

    if (x > 0 && y > 0 && z > 0) {
        float2 k = coef[material[c]];
        size_t xm = at(x - 1, y, z), ym = at(x, y - 1, z), zm = at(x, y, z - 1);
        e.x = k.x * e.x + k.y * ((hz[c] - hz[ym]) - (hy[c] - hy[zm]));
        e.y = k.x * e.y + k.y * ((hx[c] - hx[zm]) - (hz[c] - hz[xm]));
        e.z = k.x * e.z + k.y * ((hy[c] - hy[xm]) - (hx[c] - hx[ym]));
        e.w = dot(e.xyz, e.xyz);
    } else {
        e = (float4)(0.0f);
    }
    e_new[c] = e;
}
