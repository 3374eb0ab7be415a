// Looks up the embeddings of tokens and turns pairs of elements by rotary position angles; an id beyond the vocabulary
// yields zeros. A sequence has 500 tokens.
//! kernel embed_rope
//! global 64 16000
//! arg ids: buffer ushort 16000 random 0 4100
//! arg table: buffer float 524288 random -1 1
//! arg out: buffer float 2048000 zero
//! arg vocab: int 4096
//! arg sequence: int 500
//! arg log_base: float 9.210340372
//! tolerance 3e-4

kernel void embed_rope(global const ushort *ids, global const float2 *table, global float2 *out, int vocab,
                       int sequence, float log_base)
{
    const int pair = get_global_id(0);
    const int token = get_global_id(1);
    const int half_dim = get_global_size(0);
    const int id = ids[token];
    float2 r = (float2)(0.0f, 0.0f);

    if (id < vocab) {
        float2 e = table[id * half_dim + pair];
        float freq = exp(-log_base * (float)pair / (float)half_dim);
        float c, s = sincos((float)(token % sequence) * freq, &c);
        r.x = e.x * c - e.y * s;
        r.y = e.x * s + e.y * c;
    }
    out[token * half_dim + pair] = r;
}
