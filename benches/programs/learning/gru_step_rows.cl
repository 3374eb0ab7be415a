// A GRU step with the state of each sequence in local memory: one work-group of 64 to a sequence, three gates, four
// time steps in a row.
//! kernel gru
//! global 64 600
//! local 64 1
//! arg x: buffer float 460800 random -1 1
//! arg u: buffer float 12288 random -0.3 0.3
//! arg out: buffer float 153600 zero

#define UNITS 64
#define STEPS 4

inline float logistic(float v)
{
    return 1.0f / (1.0f + exp(-v));
}

kernel void gru(global const float *x, global const float *u, global float *out)
{
    local float h[UNITS], rh[UNITS];
    const int j = get_local_id(0), seq = get_group_id(1);
    h[j] = 0.0f;

    for (int t = 0; t < STEPS; t++) {
        global const float *in = x + (seq * STEPS + t) * 3 * UNITS;
        float z = in[j], r = in[UNITS + j], n = in[2 * UNITS + j];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < UNITS; i++) {
            z += u[i * UNITS + j] * h[i];
            r += u[(UNITS + i) * UNITS + j] * h[i];
        }
        z = logistic(z);
        rh[j] = logistic(r) * h[j];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < UNITS; i++)
            n += u[(2 * UNITS + i) * UNITS + j] * rh[i];
        float next = (1.0f - z) * h[j] + z * tanh(n);
        out[(seq * STEPS + t) * UNITS + j] = next;
        h[j] = next;
    }
}
