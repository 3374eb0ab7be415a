// Group normalisation followed by Mish: a work-group to each group of channels, sums in local memory by a tree, doubles
// for the variance.
//! kernel groupnorm_mish
//! global 256 64
//! local 256 1
//! arg x: buffer float 200704 random -2 2
//! arg gamma: buffer float 256 random 0.5 1.5
//! arg beta: buffer float 256 random -0.5 0.5
//! arg y: buffer float 200704 zero
//! arg plane: int 784
//! arg per_group: int 4

inline double reduce(double v, local double *buf)
{
    uint lid = get_local_id(0);
    buf[lid] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = get_local_size(0) >> 1; s; s >>= 1) {
        if (lid < s)
            buf[lid] += buf[lid + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    v = buf[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return v;
}

kernel void groupnorm_mish(global const float *x, global const float *gamma, global const float *beta, global float *y,
                           int plane, int per_group)
{
    local double buf[256];
    int n = plane * per_group, g = get_group_id(1);
    global const float *in = x + get_group_id(1) * n;
    double sum = 0.0, squares = 0.0;

    for (int i = get_local_id(0); i < n; i += get_local_size(0)) {
        sum += in[i];
        squares += (double)in[i] * in[i];
    }
    double mean = reduce(sum, buf) / n;
    double var = reduce(squares, buf) / n - mean * mean;
    float inv = rsqrt((float)var + 1e-5f);

    for (int i = get_local_id(0); i < n; i += get_local_size(0)) {
        int c = g * per_group + i / plane;
        float v = (in[i] - (float)mean) * inv * gamma[c] + beta[c];
        y[get_group_id(1) * n + i] = v * tanh(log1p(exp(v)));
    }
}
