// Attention with an online softmax: a work-group of 64 queries goes through the keys and values in tiles of 32 held in
// local memory, rescaling as the maximum grows.
//! kernel flash
//! global 256 4
//! local 64 1
//! arg q: buffer float 65536 random -1 1
//! arg k: buffer float 65536 random -1 1
//! arg v: buffer float 65536 random -1 1
//! arg out: buffer float 65536 zero
//! arg tokens: int 256
//! tolerance 5e-5

#define DIM 64
#define TILE 32
#define V4 (DIM / 4)

kernel void flash(global const float4 *q, global const float4 *k, global const float4 *v, global float4 *out,
                  int tokens)
{
    local float4 kt[TILE][V4], vt[TILE][V4];
    int lid = get_local_id(0);
    int base = get_global_id(1) * tokens * V4;
    float4 query[V4], acc[V4];
    float m = -INFINITY, l = 0.0f;

    for (int d = 0; d < V4; d++) {
        query[d] = q[base + get_global_id(0) * V4 + d] * 0.125f;
        acc[d] = (float4)(0.0f);
    }

    for (int start = 0; start < tokens; start += TILE) {
        for (int i = lid; i < TILE * V4; i += get_local_size(0)) {
            kt[i / V4][i % V4] = k[base + start * V4 + i];
            vt[i / V4][i % V4] = v[base + start * V4 + i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        for (int j = 0; j < TILE; j++) {
            float4 s4 = 0.0f;
            for (int d = 0; d < V4; d++)
                s4 = fma(query[d], kt[j][d], s4);
            float s = s4.x + s4.y + s4.z + s4.w;
            float grown = fmax(m, s);
            float rescale = exp(m - grown), p = exp(s - grown);
            l = l * rescale + p;
            m = grown;
            for (int d = 0; d < V4; d++)
                acc[d] = acc[d] * rescale + p * vt[j][d];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int d = 0; d < V4; d++)
        out[base + get_global_id(0) * V4 + d] = acc[d] / l;
}
