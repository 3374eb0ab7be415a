// Lennard-Jones forces of an atom gas from neighbour lists stored column by column, which are built by brute force
// beforehand.
//! kernel lj_force
//! global 8192
//! local 128
//! arg pos: buffer float 32768 random 0 20
//! arg count: buffer int 8192 zero
//! arg list: buffer int 655360 zero
//! arg force: buffer float 32768 zero
//! arg n: int 8192
//! arg cutsq: float 4.0
//! prepare 8192: pos count list n
//! tolerance 1e-3

#pragma OPENCL FP_CONTRACT OFF
#define MAX_NEIGH 80

kernel void prepare(global const float4 *pos, global int *count, global int *list, int n)
{
    int i = get_global_id(0);
    float4 p = pos[i];
    int c = 0;
    for (int j = 0; j < n && c < MAX_NEIGH; j++) {
        float4 q = pos[j];
        float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
        float d2 = dx * dx + dy * dy + dz * dz;
        if (j != i && d2 < 4.84f)
            list[c++ * n + i] = j;
    }
    count[i] = c;
}

kernel void lj_force(global const float4 *pos, global const int *count, global const int *list, global float4 *force,
                     int n, float cutsq)
{
    int i = get_global_id(0);
    float4 ipos = pos[i];
    float3 f = (float3)(0.0f, 0.0f, 0.0f);
    float energy = 0.0f;
    int nn = count[i];

    for (int k = 0; k < nn; k++) {
        int j = list[k * n + i];
        float4 jpos = pos[j];
        float3 d = ipos.xyz - jpos.xyz;
        float r2 = d.x * d.x + d.y * d.y + d.z * d.z;
        if (r2 < cutsq) {
            r2 = fmax(r2, 0.8f);
            float r2inv = 1.0f / r2;
            float r6inv = r2inv * r2inv * r2inv;
            f += d * (r2inv * r6inv * (48.0f * r6inv - 24.0f));
            energy += 4.0f * r6inv * (r6inv - 1.0f);
        }
    }
    force[i] = (float4)(f, energy);
}
