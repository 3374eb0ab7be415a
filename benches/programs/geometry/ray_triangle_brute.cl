// Shoots a small image of rays at a soup of triangles by the Moeller-Trumbore test, without an acceleration structure,
// and keeps the nearest hit.
//! kernel shoot
//! global 128 96
//! local 8 8
//! arg tri: buffer float 3072 random -1 1
//! arg hit: buffer int 12288 zero
//! arg dist: buffer float 12288 zero
//! arg count: int 256
//! tolerance 1e-3

#pragma OPENCL FP_CONTRACT OFF

float3 cross3(float3 a, float3 b)
{
    return (float3)(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

float dot3(float3 a, float3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

kernel void shoot(global const float4 *tri, global int *hit, global float *dist, int count)
{
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0);
    float3 o = (float3)(0.0f, 0.0f, -3.0f);
    float3 d = (float3)((x - 63.5f) / 128.0f, (y - 47.5f) / 128.0f, 1.0f);
    float nearest = 1e30f;
    int id = -1;

    for (int t = 0; t < count; t++) {
        float3 a = tri[3 * t].xyz;
        float3 e1 = tri[3 * t + 1].xyz * 0.4f, e2 = tri[3 * t + 2].xyz * 0.4f;
        float3 p = cross3(d, e2);
        float det = dot3(e1, p);
        if (fabs(det) < 1e-6f)
            continue;
        float3 s = o - a;
        float u = dot3(s, p) / det;
        if (u < 0.0f || u > 1.0f)
            continue;
        float3 q = cross3(s, e1);
        float v = dot3(d, q) / det;
        if (v < 0.0f || u + v > 1.0f)
            continue;
        float at = dot3(e2, q) / det;
        if (at > 0.0f && at < nearest) {
            nearest = at;
            id = t;
        }
    }
    hit[y * w + x] = id;
    dist[y * w + x] = id < 0 ? -1.0f : nearest;
}
