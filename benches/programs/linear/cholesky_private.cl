// Cholesky factors of many symmetric 6 x 6 matrices, one to a work-item: forms G G^T + 2 I from random G, factorises it
// in a private array and writes the triangle.
//! kernel cholesky
//! global 16384
//! local 64
//! arg g: buffer float 589824 random -1 1
//! arg factor: buffer float 344064 zero
//! arg count: int 16384
//! tolerance 1e-4

#define N 6

kernel void cholesky(global const float *g, global float *factor, int count)
{
    int id = get_global_id(0);
    float a[N][N];
    if (id >= count)
        return;

    for (int i = 0; i < N; i++) {
        for (int j = 0; j <= i; j++) {
            float s = i == j ? 2.0f : 0.0f;
            for (int k = 0; k < N; k++)
                s += g[id * N * N + i * N + k] * g[id * N * N + j * N + k];
            a[i][j] = s;
        }
    }

    for (int j = 0; j < N; j++) {
        float d = a[j][j];
        for (int k = 0; k < j; k++)
            d -= a[j][k] * a[j][k];
        d = sqrt(d);
        a[j][j] = d;
        for (int i = j + 1; i < N; i++) {
            float s = a[i][j];
            for (int k = 0; k < j; k++)
                s -= a[i][k] * a[j][k];
            a[i][j] = s / d;
        }
    }

    global float *out = factor + id * (N * (N + 1) / 2);
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++)
            *out++ = a[i][j];
}
