// Skins vertices with up to four bones each: bone matrices are rows of float4, weights are bytes, and small weights are
// skipped.
//! kernel skin
//! global 100000
//! arg position: buffer float 300000 random -1 1
//! arg normal: buffer float 300000 random -1 1
//! arg bones: buffer uchar 400000 random 0 59
//! arg weights: buffer uchar 400000 random 0 255
//! arg palette: buffer float 720 random -1 1
//! arg out_pos: buffer float 300000 zero
//! arg out_nrm: buffer float 300000 zero
//! tolerance 1e-3

typedef struct {
    float4 row[3];
} Bone;

kernel void skin(global const float *position, global const float *normal, global const uchar4 *bones,
                 global const uchar *weights, constant Bone *palette, global float *out_pos, global float *out_nrm)
{
    int i = get_global_id(0);
    float4 p = (float4)(vload3(i, position), 1.0f);
    float4 n = (float4)(vload3(i, normal), 0.0f);
    uchar4 w4 = vload4(i, weights);
    uchar4 id4 = bones[i];
    w4 = select(w4, (uchar4)(0), w4 < (uchar4)(96));
    uchar w[4], id[4];
    vstore4(w4, 0, w);
    vstore4(id4, 0, id);

    float3 pos = (float3)(0.0f), nrm = (float3)(0.0f);
    float total = 0.0f;
    for (int b = 0; b < 4; b++) {
        if (w[b] == 0)
            continue;
        float f = w[b] / 255.0f;
        constant Bone *m = palette + id[b];
        pos += f * (float3)(dot(m->row[0], p), dot(m->row[1], p), dot(m->row[2], p));
        nrm += f * (float3)(dot(m->row[0], n), dot(m->row[1], n), dot(m->row[2], n));
        total += f;
    }
    if (total == 0.0f) {
        pos = p.xyz;
        nrm = n.xyz;
        total = 1.0f;
    }
    vstore3(pos / total, i, out_pos);
    vstore3(nrm / (length(nrm) + 0.01f), i, out_nrm);
}
