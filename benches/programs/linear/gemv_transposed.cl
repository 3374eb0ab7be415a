// y = A^T x for a row-major matrix: each work-item sums down one column while the vector is staged through local memory
// in pieces.
//! kernel gemv_t
//! global 1536
//! local 128
//! arg a: buffer float 1536000 random -1 1
//! arg x: buffer float 1000 random -1 1
//! arg y: buffer float 1500 zero
//! arg rows: int 1000
//! arg cols: int 1500
//! arg stage: local 512

kernel void gemv_t(global const float *restrict a, global const float *restrict x, global float *restrict y, int rows,
                   int cols, local float *stage)
{
    const int col = get_global_id(0);
    const int lid = get_local_id(0);
    const int size = get_local_size(0);
    float sum = 0.0f;

    for (int base = 0; base < rows; base += size) {
        const int n = min(size, rows - base);
        if (lid < n)
            stage[lid] = x[base + lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (col < cols)
            for (int i = 0; i < n; i++)
                sum += a[(base + i) * cols + col] * stage[i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (col < cols)
        y[col] = sum;
}
