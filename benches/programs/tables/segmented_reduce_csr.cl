// Sums and minima over segments of uneven length given by row offsets; long segments are shared by the group and short
// ones taken by single work-items.
//! kernel segments
//! global 8192
//! local 32
//! arg lengths: buffer uchar 8192 random 0 255
//! arg offsets: buffer uint 8193 zero
//! arg values: buffer short 2097152 random -3000 3000
//! arg sums: buffer int 8192 zero
//! arg lows: buffer short 8192 zero
//! prepare 1: lengths offsets

kernel void prepare(global const uchar *lengths, global uint *offsets)
{
    uint at = 0;
    for (int i = 0; i < 8192; i++) {
        offsets[i] = at;
        at += lengths[i] < 200 ? lengths[i] >> 3 : lengths[i];
    }
    offsets[8192] = at;
}

kernel void segments(global const uchar *lengths, global const uint *offsets, global const short *values,
                     global int *sums, global short *lows)
{
    local int part[32];
    local short low[32];
    const uint lid = get_local_id(0), first = get_group_id(0) * 32;
    for (uint s = first; s < first + 32; s++) {
        const uint a = offsets[s], b = offsets[s + 1];
        if (b - a <= 64)
            continue;
        int sum = 0;
        short least = SHRT_MAX;
        for (uint i = a + lid; i < b; i += 32) {
            sum += values[i];
            least = min(least, values[i]);
        }
        part[lid] = sum;
        low[lid] = least;
        for (uint d = 16; d > 0; d >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (lid < d) {
                part[lid] += part[lid + d];
                low[lid] = min(low[lid], low[lid + d]);
            }
        }
        if (lid == 0) {
            sums[s] = part[0];
            lows[s] = low[0];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const uint a = offsets[first + lid], b = offsets[first + lid + 1];
    if (b - a <= 64) {
        int sum = 0;
        short least = SHRT_MAX;
        for (uint i = a; i < b; i++) {
            sum += values[i];
            least = min(least, values[i]);
        }
        sums[first + lid] = sum;
        lows[first + lid] = least;
    }
}
