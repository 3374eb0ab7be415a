// Non-local means of a grey float image: compares 3 x 3 patches within a window of 7 x 7 pixels and averages with
// weights that fall exponentially.
//! kernel nlm
//! global 192 128
//! arg src: buffer float 24576 random 0 1
//! arg dst: buffer float 24576 zero
//! arg w: int 192
//! arg h: int 128
//! arg inv_h2: float 3.0
//! tolerance 1e-4

float patch_distance(global const float *src, int2 a, int2 b, int2 last, int w)
{
    float d = 0.0f;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) {
            int2 p = clamp(a + (int2)(i, j), (int2)(0, 0), last);
            int2 q = clamp(b + (int2)(i, j), (int2)(0, 0), last);
            float e = src[p.y * w + p.x] - src[q.y * w + q.x];
            d += e * e;
        }
    return d;
}

kernel void nlm(global const float *src, global float *dst, int w, int h, float inv_h2)
{
    int2 here = (int2)(get_global_id(0), get_global_id(1));
    int2 last = (int2)(w - 1, h - 1);
    float sum = 0.0f, total = 0.0f;

    for (int dy = -3; dy <= 3; dy++) {
        for (int dx = -3; dx <= 3; dx++) {
            int2 there = here + (int2)(dx, dy);
            if (there.x < 0 || there.y < 0 || there.x > last.x || there.y > last.y)
                continue;
            float weight = native_exp(-patch_distance(src, here, there, last, w) * inv_h2);
            sum += weight * src[there.y * w + there.x];
            total += weight;
        }
    }
    dst[here.y * w + here.x] = sum / total;
}
