// Transposition through a tile in local memory, padded by a column against bank conflicts.
#define TRANSPOSE_TILE 16

kernel void transpose(global float *restrict out, global const float *restrict in, int width, int height)
{
    local float tile[TRANSPOSE_TILE][TRANSPOSE_TILE + 1];
    int left = get_group_id(0) * TRANSPOSE_TILE;
    int top = get_group_id(1) * TRANSPOSE_TILE;
    int x = get_local_id(0);
    int y = get_local_id(1);
    if (left + x < width && top + y < height)
        tile[y][x] = in[(top + y) * width + left + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (left + y < width && top + x < height)
        out[(left + y) * height + top + x] = tile[x][y];
}
