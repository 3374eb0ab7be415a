// Percentiles 1, 50, 90 and 99 of 16-bit latencies of each group by a two-level histogram in local memory: high byte
// first, then the low byte within the bin that holds the rank.
//! kernel percentiles
//! global 32768
//! local 128
//! arg values: buffer ushort 1048576 random 0 65535
//! arg out: buffer ushort 1024 zero

#define N 4096

kernel void percentiles(global const ushort *values, global ushort *out)
{
    local uint bins[256];
    local uint chosen, rank_in_bin;
    const uint lid = get_local_id(0);
    global const ushort *v = values + get_group_id(0) * N;
    const uint wanted[4] = {N / 100, N / 2, N * 9 / 10, N * 99 / 100};
    for (int p = 0; p < 4; p++) {
        for (int level = 0; level < 2; level++) {
            for (uint i = lid; i < 256; i += 128)
                bins[i] = 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            const uint bin = chosen;
            for (uint i = lid; i < N; i += 128) {
                const uint x = (uint)v[i] * v[i] >> 16;
                if (level == 0)
                    atomic_inc(&bins[x >> 8]);
                else if (x >> 8 == bin)
                    atomic_inc(&bins[x & 255]);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            if (lid == 0) {
                uint left = level == 0 ? wanted[p] : rank_in_bin, b = 0;
                while (left >= bins[b])
                    left -= bins[b++];
                if (level == 0)
                    chosen = b;
                else
                    out[get_group_id(0) * 4 + p] = (chosen << 8) | b;
                rank_in_bin = left;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
}
