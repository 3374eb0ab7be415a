// Blurs the rows of a grey image by a Gaussian of nine taps. Each work-group first copies its part of the rows and four
// pixels to either side into local memory.
//! kernel gauss_rows
//! global 2048 1024
//! local 64 4
//! arg src: buffer uchar 2097152 random 0 255
//! arg dst: buffer float 2097152 zero
//! arg width: int 2048
//! arg tile: local 1152

#define RADIUS 4
#define GROUP_W 64
#define TILE_W (GROUP_W + 2 * RADIUS)

constant float weights[2 * RADIUS + 1] = {
    0.0276305506f, 0.0662822453f, 0.1238315368f, 0.1801738229f, 0.2041636887f,
    0.1801738229f, 0.1238315368f, 0.0662822453f, 0.0276305506f
};

kernel void gauss_rows(global const uchar *src, global float *dst, int width, local float *tile)
{
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    const int lx = get_local_id(0);
    const int first = get_group_id(0) * GROUP_W - RADIUS;
    local float *row = tile + get_local_id(1) * TILE_W;

    for (int i = lx; i < TILE_W; i += GROUP_W) {
        int sx = clamp(first + i, 0, width - 1);
        row[i] = (float)src[y * width + sx];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k <= 2 * RADIUS; k++)
        sum += weights[k] * row[lx + k];
    dst[y * width + x] = sum;
}
