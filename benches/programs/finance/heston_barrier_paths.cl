// Monte Carlo of a barrier call under Heston's model: each work-item simulates a path with the Philox counter
// generator, and work-group reductions add up the payoffs.
//! kernel heston
//! global 32768
//! local 128
//! arg sums: buffer float 512 zero
//! arg alive: buffer int 256 zero
//! arg steps: int 24
//! arg barrier_level: float 150
//! arg key: uint 20240917
//! options -cl-std=CL3.0
//! tolerance 2e-3

uint4 philox(uint4 c, uint2 k)
{
    for (int r = 0; r < 10; r++) {
        uint hi0 = mul_hi(0xD2511F53u, c.x), lo0 = 0xD2511F53u * c.x;
        uint hi1 = mul_hi(0xCD9E8D57u, c.z), lo1 = 0xCD9E8D57u * c.z;
        c = (uint4)(hi1 ^ c.y ^ k.x, lo1, hi0 ^ c.w ^ k.y, lo0);
        k += (uint2)(0x9E3779B9u, 0xBB67AE85u);
    }
    return c;
}

float4 normals(uint4 r)
{
    float4 u = (convert_float4(r >> 8) + 0.5f) * (1.0f / 16777216.0f);
    float2 radius = sqrt(-2.0f * log(u.xz));
    float2 angle = 6.2831853f * u.yw;
    return (float4)(radius.x * cos(angle.x), radius.x * sin(angle.x),
                    radius.y * cos(angle.y), radius.y * sin(angle.y));
}

kernel void heston(global float2 *sums, global int *alive, int steps, float barrier_level, uint key)
{
    uint id = get_global_id(0);
    float dt = 1.0f / steps, sdt = sqrt(dt);
    float x = log(100.0f), v = 0.04f, top = x;

    for (int s = 0; s < steps; s += 2) {
        float4 z = normals(philox((uint4)(id, s, 0, 0), (uint2)(key, 7)));
        for (int h = 0; h < 2; h++) {
            float2 w = h ? z.zw : z.xy;
            float vp = fmax(v, 0.0f);
            float sv = sqrt(vp) * sdt;
            x += (0.03f - 0.5f * vp) * dt + sv * w.x;
            v += 1.5f * (0.04f - vp) * dt + 0.4f * sv * (-0.6f * w.x + 0.8f * w.y);
            top = fmax(top, x);
        }
    }
    bool out = top > log(barrier_level);
    float payoff = out ? 0.0f : fmax(exp(x) - 100.0f, 0.0f) * exp(-0.03f);
    float sum = work_group_reduce_add(payoff);
    float biggest = work_group_reduce_max(payoff);
    int n = work_group_reduce_add(out ? 0 : 1);
    if (get_local_id(0) == 0) {
        sums[get_group_id(0)] = (float2)(sum, biggest);
        alive[get_group_id(0)] = n;
    }
}
