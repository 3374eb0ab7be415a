// Marches rays into a scene of smoothly joined distance functions for a fixed number of steps, estimates the normal by
// differences, and shades by normal and ambient occlusion.
//! kernel march
//! global 96 72
//! local 8 8
//! arg blobs: buffer float 32 random -0.8 0.8
//! arg image: buffer float 27648 zero
//! tolerance 1e-2

float smooth_min(float a, float b, float k)
{
    float h = clamp(0.5f + 0.5f * (b - a) / k, 0.0f, 1.0f);
    return mix(b, a, h) - k * h * (1.0f - h);
}

float scene(float3 p, constant float4 *blobs)
{
    float d = p.y + 1.0f;
    for (int k = 0; k < 8; k++) {
        float4 b = blobs[k];
        d = smooth_min(d, length(p - b.xyz) - 0.2f - 0.2f * fabs(b.w), 0.3f);
    }
    float3 q = fabs(p - (float3)(0.2f, -0.3f, 0.4f)) - 0.3f;
    float box = length(fmax(q, 0.0f)) + fmin(fmax(q.x, fmax(q.y, q.z)), 0.0f) - 0.05f;
    return smooth_min(d, box, 0.2f);
}

kernel void march(constant float4 *blobs, global float4 *image)
{
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0);
    float3 o = (float3)(0.0f, 0.3f, -3.0f);
    float3 dir = normalize((float3)((x - 47.5f) / 72.0f, (35.5f - y) / 72.0f, 1.2f));
    float t = 0.5f, nearest = 10.0f;

    for (int s = 0; s < 24; s++) {
        float d = scene(o + dir * t, blobs);
        nearest = fmin(nearest, d);
        t = fmin(t + 0.7f * d, 8.0f);
    }
    float3 p = o + dir * t;
    const float e = 0.02f;
    float3 n = (float3)(scene(p + (float3)(e, 0, 0), blobs) - scene(p - (float3)(e, 0, 0), blobs),
                        scene(p + (float3)(0, e, 0), blobs) - scene(p - (float3)(0, e, 0), blobs),
                        scene(p + (float3)(0, 0, e), blobs) - scene(p - (float3)(0, 0, e), blobs));
    n /= length(n) + 1e-3f;
    float ao = 0.0f, weight = 0.5f;
    for (int k = 1; k <= 4; k++) {
        ao += weight * (0.1f * k - scene(p + n * (0.1f * k), blobs));
        weight *= 0.6f;
    }
    float light = fmax(dot(n, (float3)(0.48f, 0.64f, -0.6f)), 0.0f) * clamp(1.0f - ao, 0.0f, 1.0f);
    image[y * w + x] = (float4)(light, t, nearest, n.y);
}
