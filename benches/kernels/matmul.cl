// Matrix product C = A * B of row-major n x n matrices.
#define TILE 16

kernel void matmul_naive(global float *restrict c, global const float *restrict a, global const float *restrict b, int n)
{
    int column = get_global_id(0);
    int row = get_global_id(1);
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

// Tiles of both factors pass through local memory; the edges of matrices that are no multiple of a tile are padded with zeros.
kernel void matmul_tiled(global float *restrict c, global const float *restrict a, global const float *restrict b, int n)
{
    local float tile_a[TILE][TILE];
    local float tile_b[TILE][TILE];
    int x = get_local_id(0);
    int y = get_local_id(1);
    int column = get_group_id(0) * TILE + x;
    int row = get_group_id(1) * TILE + y;
    float sum = 0.0f;
    for (int start = 0; start < n; start += TILE) {
        tile_a[y][x] = row < n && start + x < n ? a[row * n + start + x] : 0.0f;
        tile_b[y][x] = column < n && start + y < n ? b[(start + y) * n + column] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; ++k)
            sum += tile_a[y][k] * tile_b[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < n && column < n)
        c[row * n + column] = sum;
}
