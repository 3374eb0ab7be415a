// A Mersenne Twister per group: 624 words in local memory, refilled piece by piece by the whole group and tempered.
//! kernel mt19937
//! global 16384
//! local 128
//! arg seeds: buffer uint 128 random 1 4294967295
//! arg out: buffer uint 1277952 zero
//! arg batches: int 16

#define N 624
#define M 397

static uint twist(uint a, uint b, uint c)
{
    const uint y = (a & 0x80000000u) | (b & 0x7fffffffu);
    return c ^ (y >> 1) ^ ((y & 1) ? 0x9908b0dfu : 0);
}

kernel void mt19937(global const uint *seeds, global uint *out, int batches)
{
    local uint mt[N];
    const int lid = get_local_id(0), group = get_group_id(0);
    if (lid == 0) {
        mt[0] = seeds[group];
        for (int i = 1; i < N; i++)
            mt[i] = 1812433253u * (mt[i - 1] ^ (mt[i - 1] >> 30)) + i;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int b = 0; b < batches; b++) {
        for (int start = 0; start < N; start += 128) {
            const int i = start + lid;
            uint v = 0;
            if (i < N)
                v = twist(mt[i], mt[(i + 1) % N], mt[(i + M) % N]);
            barrier(CLK_LOCAL_MEM_FENCE);
            if (i < N)
                mt[i] = v;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        for (int i = lid; i < N; i += 128) {
            uint y = mt[i];
            y ^= y >> 11;
            y ^= (y << 7) & 0x9d2c5680u;
            y ^= (y << 15) & 0xefc60000u;
            out[(group * batches + b) * N + i] = y ^ (y >> 18);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
