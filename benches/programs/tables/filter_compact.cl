// Packs the row numbers that pass a < x and lo <= b <= hi to the front of each group's piece by a prefix sum in local
// memory.
//! kernel filter
//! global 524288
//! local 256
//! arg a: buffer int 524288 random -1000 1000
//! arg b: buffer ushort 524288 random 0 65535
//! arg rows: buffer uint 524288 zero
//! arg counts: buffer uint 2048 zero
//! arg x: int 300
//! arg lo: ushort 10000
//! arg hi: ushort 40000

kernel void filter(global const int *a, global const ushort *b, global uint *rows, global uint *counts, int x,
                   ushort lo, ushort hi)
{
    local uint scan[2][256];
    const uint lid = get_local_id(0), gid = get_global_id(0);
    const uint pass = a[gid] < x && b[gid] >= lo && b[gid] <= hi;
    int from = 0;
    scan[0][lid] = pass;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = 1; d < 256; d <<= 1) {
        scan[1 - from][lid] = scan[from][lid] + (lid >= d ? scan[from][lid - d] : 0);
        from = 1 - from;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (pass)
        rows[get_group_id(0) * 256 + scan[from][lid] - 1] = gid;
    if (lid == 255)
        counts[get_group_id(0)] = scan[from][255];
}
