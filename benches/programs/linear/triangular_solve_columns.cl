// Solves L X = B for many right-hand sides by forward substitution: a work-item goes down one column, and L is the
// lower triangle of a matrix with a strong diagonal.
//! kernel trsm
//! global 4096
//! local 64
//! arg l: buffer float 16384 random -0.1 0.1
//! arg b: buffer float 524288 random -1 1
//! arg x: buffer float 524288 zero
//! arg n: int 128
//! tolerance 1e-4

kernel void trsm(global const float *l, global const float *b, global float *x, int n)
{
    const int col = get_global_id(0);
    const int cols = get_global_size(0);

    for (int i = 0; i < n; i++) {
        float sum = b[i * cols + col];
        for (int j = 0; j < i; j++)
            sum -= l[i * n + j] * x[j * cols + col];
        x[i * cols + col] = sum / (1.5f + l[i * n + i]);
    }
}
