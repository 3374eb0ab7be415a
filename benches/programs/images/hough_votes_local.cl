// Hough transform for lines: one work-group for each angle counts the distances of all edge points with atomics in
// local memory, then writes its row of votes.
//! kernel hough
//! global 128 180
//! local 128 1
//! arg points: buffer ushort 16384 random 0 511
//! arg votes: buffer int 263520 zero
//! arg count: int 8191
//! arg numrho: int 1464
//! arg accum: local 5856

kernel void hough(global const ushort2 *points, global int *votes, int count, int numrho, local int *accum)
{
    const int theta = get_global_id(1);
    const int lid = get_local_id(0);
    const int shift = (numrho - 1) / 2;
    const int ic = convert_int_rte(cos(theta * M_PI_F / 180.0f) * 1024.0f);
    const int is = convert_int_rte(sin(theta * M_PI_F / 180.0f) * 1024.0f);

    for (int i = lid; i < numrho; i += get_local_size(0))
        accum[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int i = lid; i < count; i += get_local_size(0)) {
        const ushort2 p = points[i];
        const int rho = (p.x * ic + p.y * is + 512) >> 10;
        atomic_inc(accum + rho + shift);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int i = lid; i < numrho; i += get_local_size(0))
        votes[theta * numrho + i] = accum[i];
}
