// Adaptive noise canceller by the normalised LMS rule, run serially by a single work-item with its 16 weights and
// history in float16 vectors.
//! kernel lms
//! global 1
//! local 1
//! arg noise: buffer float 100000 random -1 1
//! arg mic: buffer float 100000 random -1 1
//! arg error: buffer float 100000 zero
//! arg weights: buffer float 16 zero
//! arg n: int 100000
//! arg mu: float 0.05
//! tolerance 1e-3

float dot16(float16 a, float16 b)
{
    float16 p = a * b;
    float8 h = p.lo + p.hi;
    float4 q = h.lo + h.hi;
    return (q.x + q.y) + (q.z + q.w);
}

kernel void lms(global const float *noise, global const float *mic, global float *error, global float16 *weights, int n,
                float mu)
{
    float16 w = (float16)(0.0f), h = (float16)(0.0f);
    for (int t = 0; t < n; t++) {
        h = (float16)(0.0f, h.s0123, h.s45, h.s6, h.s789abcde);
        h.s0 = noise[t];
        float target = mic[t] + 0.5f * h.s3 - 0.25f * h.s7;
        float e = target - dot16(w, h);
        w += h * (mu * e / (0.1f + dot16(h, h)));
        error[t] = e;
    }
    *weights = w;
}
