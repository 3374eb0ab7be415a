// GELU by its tanh form followed by dropout: a counter-based hash of position and seed decides which elements stay, and
// the mask is packed to bits.
//! kernel gelu_dropout
//! global 262144
//! arg x: buffer float 2097152 random -3 3
//! arg y: buffer float 2097152 zero
//! arg mask: buffer uchar 262144 zero
//! arg seed: uint 2463534242
//! arg keep: float 0.9
//! tolerance 2e-5

inline uint hash(uint v)
{
    v ^= v >> 16;
    v *= 0x7feb352du;
    v ^= v >> 15;
    v *= 0x846ca68bu;
    return v ^ (v >> 16);
}

inline float gelu(float v)
{
    return 0.5f * v * (1.0f + tanh(0.7978845608f * (v + 0.044715f * v * v * v)));
}

kernel void gelu_dropout(global const float *x, global float *y, global uchar *mask, uint seed, float keep)
{
    uint i = get_global_id(0);
    float8 v = vload8(i, x), r;
    float *pv = (float *)&v, *pr = (float *)&r;
    uint limit = (uint)(keep * 16777216.0f);
    uchar bits = 0;

    for (uint j = 0; j < 8; j++) {
        bool stays = (hash(seed + i * 8 + j) >> 8) < limit;
        pr[j] = stays ? gelu(pv[j]) / keep : 0.0f;
        bits |= (uchar)stays << j;
    }
    vstore8(r, i, y);
    mask[i] = bits;
}
