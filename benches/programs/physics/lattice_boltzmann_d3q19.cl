// Lattice-Boltzmann D3Q19: pulls the 19 populations of a cell from its neighbours in a periodic box, bounces them back
// at solid cells, and relaxes towards equilibrium.
//! kernel lbm_step
//! global 48 48 40
//! local 16 4 1
//! arg src: buffer float 1751040 random 0.02 0.06
//! arg dst: buffer float 1751040 zero
//! arg flags: buffer uchar 92160 random 0 11
//! arg omega: float 1.2
//! tolerance 1e-5

constant char cx[19] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
constant char cy[19] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
constant char cz[19] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};
constant uchar opposite[19] = {0, 2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13, 16, 15, 18, 17};

float weight(int q)
{
    return q == 0 ? 1.0f / 3.0f : q < 7 ? 1.0f / 18.0f : 1.0f / 36.0f;
}

kernel void lbm_step(global const float *src, global float *dst, global const uchar *flags, float omega)
{
    const int nx = get_global_size(0), ny = get_global_size(1), nz = get_global_size(2);
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    const int cells = nx * ny * nz;
    const int here = (z * ny + y) * nx + x;
    float f[19];
    float rho = 0.0f;
    float3 u = (float3)(0.0f);

    for (int q = 0; q < 19; q++) {
        int sx = (x - cx[q] + nx) % nx;
        int sy = (y - cy[q] + ny) % ny;
        int sz = (z - cz[q] + nz) % nz;
        f[q] = src[q * cells + (sz * ny + sy) * nx + sx];
        rho += f[q];
        u += f[q] * (float3)(cx[q], cy[q], cz[q]);
    }
    if (flags[here] == 0) {
        for (int q = 0; q < 19; q++)
            dst[opposite[q] * cells + here] = f[q];
        return;
    }
    u /= rho;
    float uu = 1.5f * dot(u, u);
    for (int q = 0; q < 19; q++) {
        float cu = 3.0f * (cx[q] * u.x + cy[q] * u.y + cz[q] * u.z);
        float feq = weight(q) * rho * (1.0f + cu + 0.5f * cu * cu - uu);
        dst[q * cells + here] = f[q] + omega * (feq - f[q]);
    }
}
