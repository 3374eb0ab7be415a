// Temperature of a chip: each 16 x 16 work-group loads a tile with its halo and advances it two steps in local memory,
// so that only the inner 12 x 12 cells are written back.
//! kernel hotspot
//! global 1376 688
//! local 16 16
//! arg power: buffer float 524288 random 0 0.01
//! arg temp_src: buffer float 524288 random 320 345
//! arg temp_dst: buffer float 524288 zero
//! arg cols: int 1024
//! arg rows: int 512
//! arg step_div_cap: float 0.35
//! arg rx_1: float 0.4
//! arg ry_1: float 0.5
//! arg rz_1: float 0.0125
//! tolerance 1e-5

#define BLOCK 16
#define STEPS 2
#define IN_RANGE(x, lo, hi) ((x) >= (lo) && (x) <= (hi))

kernel void hotspot(global const float *power, global const float *temp_src, global float *temp_dst, int cols, int rows,
                    float step_div_cap, float rx_1, float ry_1, float rz_1)
{
    local float t_on[BLOCK][BLOCK];
    local float p_on[BLOCK][BLOCK];
    local float t_new[BLOCK][BLOCK];
    int tx = get_local_id(0), ty = get_local_id(1);
    int small = BLOCK - 2 * STEPS;
    int x = small * (int)get_group_id(0) - STEPS + tx;
    int y = small * (int)get_group_id(1) - STEPS + ty;
    bool inside = IN_RANGE(x, 0, cols - 1) && IN_RANGE(y, 0, rows - 1);

    if (inside) {
        t_on[ty][tx] = temp_src[y * cols + x];
        p_on[ty][tx] = power[y * cols + x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    int w = x == 0 ? tx : tx - 1, e = x == cols - 1 ? tx : tx + 1;
    int n = y == 0 ? ty : ty - 1, s = y == rows - 1 ? ty : ty + 1;
    bool computed = false;
    for (int i = 0; i < STEPS; i++) {
        computed = false;
        if (inside && IN_RANGE(tx, i + 1, BLOCK - i - 2) && IN_RANGE(ty, i + 1, BLOCK - i - 2)) {
            computed = true;
            t_new[ty][tx] = t_on[ty][tx] + step_div_cap * (p_on[ty][tx] +
                (t_on[s][tx] + t_on[n][tx] - 2.0f * t_on[ty][tx]) * ry_1 * 0.5f +
                (t_on[ty][e] + t_on[ty][w] - 2.0f * t_on[ty][tx]) * rx_1 * 0.5f +
                (80.0f - t_on[ty][tx]) * rz_1);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i == STEPS - 1)
            break;
        if (computed)
            t_on[ty][tx] = t_new[ty][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (computed)
        temp_dst[y * cols + x] = t_new[ty][tx];
}
