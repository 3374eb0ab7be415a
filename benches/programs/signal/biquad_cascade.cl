// Cascade of four second-order sections over many interleaved audio channels; state stays in a private struct array
// while the samples run by.
//! kernel biquads
//! global 2048
//! local 32
//! arg in: buffer short 2097152 random -20000 20000
//! arg coef: buffer float 20 random -0.3 0.3
//! arg out: buffer short 2097152 zero
//! arg peak: buffer float 2048 zero
//! arg frames: int 1024
//! tolerance 1e-4

#pragma OPENCL FP_CONTRACT OFF

typedef struct {
    float z1, z2;
} Section;

kernel void biquads(global const short *in, constant float *coef, global short *out, global float *peak, int frames)
{
    int ch = get_global_id(0), channels = get_global_size(0);
    Section s[4] = {{0.0f, 0.0f}, {0.0f, 0.0f}, {0.0f, 0.0f}, {0.0f, 0.0f}};
    float top = 0.0f;

    for (int f = 0; f < frames; f++) {
        float x = in[f * channels + ch] * (1.0f / 32768.0f);
        for (int k = 0; k < 4; k++) {
            constant float *c = coef + 5 * k;
            float y = (0.9f + c[0]) * x + s[k].z1;
            s[k].z1 = c[1] * x - c[3] * y + s[k].z2;
            s[k].z2 = c[2] * x - c[4] * y;
            x = y;
        }
        top = fmax(top, fabs(x));
        out[f * channels + ch] = convert_short_sat_rte(x * 16384.0f);
    }
    peak[ch] = top;
}
