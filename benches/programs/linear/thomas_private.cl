// Tridiagonal systems of 64 unknowns by the Thomas algorithm, one system to a work-item with private arrays; systems
// are interleaved in memory.
//! kernel thomas
//! global 32768
//! arg lower: buffer float 2097152 random -1 1
//! arg diag: buffer float 2097152 random 2.5 4
//! arg upper: buffer float 2097152 random -1 1
//! arg rhs: buffer float 2097152 random -1 1
//! arg x: buffer float 2097152 zero

#define N 64

kernel void thomas(global const float *lower, global const float *diag, global const float *upper,
                   global const float *rhs, global float *x)
{
    const int s = get_global_id(0);
    const int stride = get_global_size(0);
    float c[N], d[N];

    c[0] = upper[s] / diag[s];
    d[0] = rhs[s] / diag[s];
    for (int i = 1; i < N; i++) {
        const int at = i * stride + s;
        const float m = 1.0f / (diag[at] - lower[at] * c[i - 1]);
        c[i] = upper[at] * m;
        d[i] = (rhs[at] - lower[at] * d[i - 1]) * m;
    }

    float last = d[N - 1];
    x[(N - 1) * stride + s] = last;
    for (int i = N - 2; i >= 0; i--) {
        last = d[i] - c[i] * last;
        x[i * stride + s] = last;
    }
}
