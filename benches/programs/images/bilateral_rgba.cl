// Bilateral filter of a float4 image with a radius of three pixels: weights fall with distance in the plane and with
// difference in colour.
//! kernel bilateral
//! global 256 160
//! local 16 8
//! arg src: buffer float 163840 random 0 1
//! arg dst: buffer float 163840 zero
//! arg size: buffer int 2 random 160 160
//! arg w: int 256
//! arg h: int 160
//! arg inv_space: float 0.1
//! arg inv_range: float 4.5

kernel void bilateral(global const float4 *src, global float4 *dst, global const int *size, int w, int h,
                      float inv_space, float inv_range)
{
    const int2 pos = (int2)(get_global_id(0), get_global_id(1));
    if (pos.x >= w || pos.y >= min(h, size[1]))
        return;

    const float4 centre = src[pos.y * w + pos.x];
    float3 sum = (float3)(0.0f);
    float norm = 0.0f;

    for (int dy = -3; dy <= 3; ++dy) {
        for (int dx = -3; dx <= 3; ++dx) {
            const int2 q = clamp(pos + (int2)(dx, dy), (int2)(0), (int2)(w - 1, h - 1));
            const float3 c = src[q.y * w + q.x].xyz;
            const float3 d = c - centre.xyz;
            const float e = (float)(dx * dx + dy * dy) * inv_space + dot(d, d) * inv_range;
            const float weight = exp(-e);
            sum += c * weight;
            norm += weight;
        }
    }
    dst[pos.y * w + pos.x] = (float4)(sum / norm, centre.w);
}
