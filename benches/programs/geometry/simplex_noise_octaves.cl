// Fractal simplex noise over a grid of 2-D points, with an integer hash for gradients and a number of octaves that
// differs from row to row.
//! kernel noise
//! global 512 256
//! local 64 1
//! arg out: buffer float 131072 zero
//! arg octaves: buffer uchar 256 random 1 7
//! arg scale: float 0.0173
//! arg seed: uint 1337
//! tolerance 1e-3

uint hash2(int x, int y, uint seed)
{
    uint h = seed ^ (uint)x * 0x27d4eb2du ^ (uint)y * 0x165667b1u;
    h = (h ^ (h >> 15)) * 0x85ebca6bu;
    return h ^ (h >> 13);
}

float corner(float2 d, uint h)
{
    float t = 0.5f - d.x * d.x - d.y * d.y;
    if (t < 0.0f)
        return 0.0f;
    float2 g = (float2)((h & 1) ? 1.0f : -1.0f, (h & 2) ? 1.0f : -1.0f);
    if (h & 4)
        g *= (h & 8) ? (float2)(1.41f, 0.0f) : (float2)(0.0f, 1.41f);
    t *= t;
    return t * t * dot(g, d);
}

float simplex2(float2 p, uint seed)
{
    float s = (p.x + p.y) * 0.36602540f;
    float2 c = floor(p + s);
    float t = (c.x + c.y) * 0.21132487f;
    float2 d0 = p - (c - t);
    bool lower = d0.x > d0.y;
    int2 o = lower ? (int2)(1, 0) : (int2)(0, 1);
    float2 d1 = d0 - convert_float2(o) + 0.21132487f;
    float2 d2 = d0 - 1.0f + 0.42264973f;
    int2 i = convert_int2(c);
    return 70.0f * (corner(d0, hash2(i.x, i.y, seed)) +
                    corner(d1, hash2(i.x + o.x, i.y + o.y, seed)) +
                    corner(d2, hash2(i.x + 1, i.y + 1, seed)));
}

kernel void noise(global float *out, global const uchar *octaves, float scale, uint seed)
{
    int x = get_global_id(0), y = get_global_id(1);
    float2 p = (float2)(x + 0.37f, y + 0.61f) * scale;
    float sum = 0.0f, amp = 0.5f;
    for (int o = 0; o < octaves[y]; o++) {
        sum += amp * simplex2(p, seed + o);
        p = p.yx * 2.03f + 17.7f;
        amp *= 0.5f;
    }
    out[y * get_global_size(0) + x] = sum;
}
