// Finite-volume flux of the compressible Euler equations on an unstructured mesh of tetrahedra; neighbours are indices,
// walls are -1 and the far field -2.
//! kernel compute_flux
//! global 65536
//! local 192
//! arg neighbours: buffer int 262144 random 0 65535
//! arg normals: buffer float 786432 random -1 1
//! arg density: buffer float 65536 random 1 2
//! arg momentum: buffer float 196608 random -0.5 0.5
//! arg energy: buffer float 65536 random 3 4
//! arg fluxes: buffer float 327680 zero
//! arg n: int 65472
//! options -cl-std=CL3.0
//! prepare 65536: neighbours
//! tolerance 1e-4

#define GAMMA 1.4f

kernel void prepare(global int *neighbours)
{
    int i = get_global_id(0);
    int span[4] = {i - 1, i + 1, i - 256, i + 256};
    for (int k = 0; k < 4; k++) {
        int r = neighbours[4 * i + k];
        int nb = (r & 7) == 0 ? r : span[k];
        neighbours[4 * i + k] = nb < 0 ? -1 : nb >= 65536 ? -2 : (r & 63) == 9 ? -1 : nb;
    }
}

void flux_tensor(float3 m, float3 v, float p, float e, float3 *fx, float3 *fy, float3 *fz, float3 *fe)
{
    *fx = m * v.x + (float3)(p, 0.0f, 0.0f);
    *fy = m * v.y + (float3)(0.0f, p, 0.0f);
    *fz = m * v.z + (float3)(0.0f, 0.0f, p);
    *fe = v * (e + p);
}

kernel void compute_flux(global const int *neighbours, global const float *normals, global const float *density,
                         global const float *momentum, global const float *energy, global float *fluxes, int n)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    float rho = density[i], e = energy[i];
    float3 m = vload3(i, momentum), v = m / rho;
    float p = (GAMMA - 1.0f) * (e - 0.5f * rho * dot(v, v));
    float speed = length(v) + sqrt(GAMMA * p / rho);
    float3 fx, fy, fz, fe, fm = (float3)(0.0f);
    float fd = 0.0f, fen = 0.0f;
    flux_tensor(m, v, p, e, &fx, &fy, &fz, &fe);

    for (int k = 0; k < 4; k++) {
        int nb = neighbours[4 * i + k];
        float3 nm = vload3(4 * i + k, normals);
        if (nb >= 0) {
            float rn = density[nb], en = energy[nb];
            float3 mn = vload3(nb, momentum), vn = mn / rn, gx, gy, gz, ge;
            float pn = (GAMMA - 1.0f) * (en - 0.5f * rn * dot(vn, vn));
            flux_tensor(mn, vn, pn, en, &gx, &gy, &gz, &ge);
            float a = -0.1f * length(nm) * (speed + length(vn) + sqrt(GAMMA * pn / rn));
            fd += a * (rho - rn) + 0.5f * dot(nm, m + mn);
            fen += a * (e - en) + 0.5f * dot(nm, fe + ge);
            fm += a * (m - mn) + 0.5f * (nm.x * (fx + gx) + nm.y * (fy + gy) + nm.z * (fz + gz));
        } else if (nb == -1) {
            fm += nm * p;
        } else {
            float3 far = (float3)(0.6f, 0.0f, 0.1f);
            fd += 0.5f * dot(nm, far + m);
            fen += 0.5f * dot(nm, fe + far * 3.5f);
            fm += 0.5f * (nm.x * fx + nm.y * fy + nm.z * fz + nm);
        }
    }
    fluxes[i] = fd;
    fluxes[i + 65536] = fm.x;
    fluxes[i + 2 * 65536] = fm.y;
    fluxes[i + 3 * 65536] = fm.z;
    fluxes[i + 4 * 65536] = fen;
}
