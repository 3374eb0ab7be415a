// Blocked Floyd-Warshall, last phase of one round: every 16 x 16 block outside the pivot row and column is relaxed
// through the pivot blocks, which are staged in local memory.
//! kernel fw_phase3
//! global 2048 2048
//! local 16 16
//! arg dist: buffer int 4194304 random 1 5000
//! arg n: int 2048
//! arg round: int 23

#define B 16

kernel void fw_phase3(global int *dist, int n, int round)
{
    local int row_block[B][B];
    local int col_block[B][B + 1];
    int bx = get_group_id(0), by = get_group_id(1);
    if (bx == round || by == round)
        return;
    int lx = get_local_id(0), ly = get_local_id(1);
    int x = bx * B + lx, y = by * B + ly;

    row_block[ly][lx] = dist[(round * B + ly) * n + x];
    col_block[ly][lx] = dist[y * n + round * B + lx];
    barrier(CLK_LOCAL_MEM_FENCE);

    int d = dist[y * n + x];
    for (int k = 0; k < B; k++)
        d = min(d, col_block[ly][k] + row_block[k][lx]);
    dist[y * n + x] = d;
}
