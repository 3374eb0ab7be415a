// Naive discrete Fourier transform of complex samples, one output bin per work-item, with the angle reduced by integer
// arithmetic before sine and cosine.
//! kernel dft
//! global 1536
//! arg x: buffer float 3072 random -1 1
//! arg y: buffer float 3072 zero
//! arg n: int 1536
//! arg sign: int -1
//! tolerance 2e-4

kernel void dft(global const float2 *x, global float2 *y, int n, int sign)
{
    int k = get_global_id(0);
    float2 acc = (float2)(0.0f);
    float base = sign * 2.0f * M_PI_F / (float)n;

    for (int t = 0; t < n; t++) {
        int phase = (k * t) % n;
        float c, s;
        s = sincos(base * phase, &c);
        float2 v = x[t];
        acc.x += v.x * c - v.y * s;
        acc.y += v.x * s + v.y * c;
    }
    y[k] = acc;
}
