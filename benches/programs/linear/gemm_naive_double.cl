// Product of matrices of doubles by the plain triple loop, C = alpha A B + beta C0, with sizes that are odd and a
// guard.
//! kernel dgemm
//! global 144 160
//! local 16 16
//! arg A: buffer double 15729 random -1 1
//! arg B: buffer double 14445 random -1 1
//! arg C0: buffer double 19845 random -1 1
//! arg C: buffer double 19845 zero
//! arg M: int 147
//! arg N: int 135
//! arg K: int 107
//! arg alpha: double 1.25
//! arg beta: double -0.5

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void dgemm(global const double *A, global const double *B, global const double *C0, global double *C, int M,
                  int N, int K, double alpha, double beta)
{
    int col = get_global_id(0);
    int row = get_global_id(1);
    if (row >= M || col >= N)
        return;
    double sum = 0.0;
    for (int i = 0; i < K; i++)
        sum += A[row * K + i] * B[i * N + col];
    C[row * N + col] = alpha * sum + beta * C0[row * N + col];
}
