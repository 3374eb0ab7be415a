// Causal attention for four heads: one work-item per query keeps the scores of all keys in global memory and walks over
// them three times.
//! kernel attention
//! global 192 4
//! arg q: buffer float 24576 random -1 1
//! arg k: buffer float 24576 random -1 1
//! arg v: buffer float 24576 random -1 1
//! arg scores: buffer float 147456 zero
//! arg out: buffer float 24576 zero
//! arg tokens: int 192
//! arg dim: int 32

kernel void attention(global const float *q, global const float *k, global const float *v, global float *scores,
                      global float *out, int tokens, int dim)
{
    int t = get_global_id(0);
    int head = get_global_id(1);
    int base = head * tokens * dim;
    global float *s = scores + (head * tokens + t) * tokens;

    float best = -1e30f;
    for (int j = 0; j <= t; j++) {
        float dot = 0.0f;
        for (int d = 0; d < dim; d++)
            dot += q[base + t * dim + d] * k[base + j * dim + d];
        s[j] = dot * rsqrt((float)dim);
        if (s[j] > best)
            best = s[j];
    }

    float total = 0.0f;
    for (int j = 0; j <= t; j++) {
        s[j] = exp(s[j] - best);
        total += s[j];
    }

    for (int d = 0; d < dim; d++) {
        float acc = 0.0f;
        for (int j = 0; j <= t; j++)
            acc += s[j] * v[base + j * dim + d];
        out[base + t * dim + d] = acc / total;
    }
}
