// Smoothed-particle density and pressure: particles are sorted into a 16^3 grid of cells beforehand and each looks
// through the 27 cells around its own.
//! kernel sph_density
//! global 24576
//! local 64
//! arg raw: buffer float 98304 random 0 1
//! arg sorted: buffer float 98304 zero
//! arg start: buffer int 4097 zero
//! arg rho: buffer float 49152 zero
//! arg h2: float 0.00390625
//! prepare 1: raw sorted start
//! tolerance 1e-4

#pragma OPENCL FP_CONTRACT OFF
#define DIM 16
#define COUNT 24576

int cell_of(float4 p)
{
    int3 c = clamp(convert_int3(p.xyz * DIM), 0, DIM - 1);
    return (c.z * DIM + c.y) * DIM + c.x;
}

kernel void prepare(global const float4 *raw, global float4 *sorted, global int *start)
{
    for (int c = 0; c <= DIM * DIM * DIM; c++)
        start[c] = 0;
    for (int i = 0; i < COUNT; i++)
        start[cell_of(raw[i])]++;
    for (int c = 1; c <= DIM * DIM * DIM; c++)
        start[c] += start[c - 1];
    for (int i = COUNT - 1; i >= 0; i--)
        sorted[--start[cell_of(raw[i])]] = raw[i];
}

kernel void sph_density(global const float4 *raw, global const float4 *sorted, global const int *start,
                        global float2 *rho, float h2)
{
    int i = get_global_id(0);
    float4 p = sorted[i];
    int3 c = clamp(convert_int3(p.xyz * DIM), 0, DIM - 1);
    float sum = 0.0f;

    for (int z = max(c.z - 1, 0); z <= min(c.z + 1, DIM - 1); z++)
        for (int y = max(c.y - 1, 0); y <= min(c.y + 1, DIM - 1); y++)
            for (int x = max(c.x - 1, 0); x <= min(c.x + 1, DIM - 1); x++) {
                int cell = (z * DIM + y) * DIM + x;
                for (int k = start[cell]; k < start[cell + 1]; k++) {
                    float4 q = sorted[k];
                    float3 d = p.xyz - q.xyz;
                    float r2 = d.x * d.x + d.y * d.y + d.z * d.z;
                    if (r2 < h2) {
                        float w = 1.0f - r2 / h2;
                        sum += (0.5f + q.w) * w * w * w;
                    }
                }
            }
    float ratio = sum / 6.0f;
    rho[i] = (float2)(sum, 2.0f * (ratio * ratio * ratio - 1.0f));
}
