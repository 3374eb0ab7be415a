// Charge deposition of a particle-in-cell code: one work-group owns a 16 x 16 tile and its particles, adds fixed-point
// cloud-in-cell weights in local memory, then writes the tile.
//! kernel deposit
//! global 65536
//! local 64
//! arg px: buffer ushort 524288 random 0 65535
//! arg py: buffer ushort 524288 random 0 65535
//! arg charge: buffer char 524288 random -2 3
//! arg grid: buffer int 295936 zero
//! arg per_tile: int 512

kernel void deposit(global const ushort *px, global const ushort *py, global const char *charge, global int *grid,
                    int per_tile)
{
    local int tile[17 * 17];
    int lid = get_local_id(0), ls = get_local_size(0), group = get_group_id(0);

    for (int k = lid; k < 17 * 17; k += ls)
        tile[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int k = lid; k < per_tile; k += ls) {
        int p = group * per_tile + k;
        int q = charge[p];
        if (q == 0)
            continue;
        int ix = px[p] >> 12, iy = py[p] >> 12;
        int fx = (px[p] & 4095) >> 4, fy = (py[p] & 4095) >> 4;
        int base = iy * 17 + ix;
        atomic_add(&tile[base], q * (256 - fx) * (256 - fy));
        atomic_add(&tile[base + 1], q * fx * (256 - fy));
        atomic_add(&tile[base + 17], q * (256 - fx) * fy);
        atomic_add(&tile[base + 18], q * fx * fy);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = lid; k < 17 * 17; k += ls)
        grid[group * 17 * 17 + k] = tile[k];
}
