// Whirlpool compression of one 64-byte block per work-item by eight tables of 256 words that each group copies into
// local memory; the tables are built from the small boxes by `prepare`.
//! kernel whirlpool
//! global 8192
//! local 64
//! arg blocks: buffer ulong 65536 random 0 4294967295
//! arg table: buffer ulong 2048 zero
//! arg out: buffer ulong 65536 zero
//! arg tl: local 16384
//! prepare 256: table

constant uchar E[16] = {1, 11, 9, 12, 13, 6, 15, 3, 14, 8, 7, 4, 10, 2, 5, 0};
constant uchar Rb[16] = {7, 12, 11, 13, 14, 4, 9, 15, 6, 3, 8, 10, 2, 5, 1, 0};

static uint mul(uint a, uint b)
{
    uint r = 0;
    for (; b; b >>= 1, a = (a << 1) ^ ((a & 0x80) ? 0x11d : 0))
        if (b & 1)
            r ^= a;
    return r & 255;
}

kernel void prepare(global ulong *table)
{
    uint x = get_global_id(0), inv[16];
    for (int i = 0; i < 16; i++)
        inv[E[i]] = i;
    uint u = E[x >> 4], v = inv[x & 15], r = Rb[u ^ v];
    uint s = (E[u ^ r] << 4) | inv[v ^ r];
    const uchar row[8] = {1, 1, 4, 1, 8, 5, 2, 9};
    ulong c = 0;
    for (int i = 0; i < 8; i++)
        c = (c << 8) | mul(s, row[i]);
    for (int t = 0; t < 8; t++)
        table[t * 256 + x] = rotate(c, (ulong)(64 - 8 * t));
}

static void mix_rows(const ulong *in, ulong *o, local const ulong *t)
{
    for (int i = 0; i < 8; i++) {
        ulong x = 0;
        for (int j = 0; j < 8; j++)
            x ^= t[j * 256 + ((in[(i - j) & 7] >> (56 - 8 * j)) & 255)];
        o[i] = x;
    }
}

kernel void whirlpool(global const ulong *blocks, global const ulong *table, global ulong *out, local ulong *tl)
{
    for (uint i = get_local_id(0); i < 2048; i += get_local_size(0))
        tl[i] = table[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    const size_t gid = get_global_id(0);
    ulong key[8], st[8], tmp[8], msg[8];
    for (int i = 0; i < 8; i++) {
        key[i] = 0;
        msg[i] = blocks[gid * 8 + i] * 0xd6e8feb86659fd93UL;
        st[i] = msg[i];
    }
    for (int round = 0; round < 10; round++) {
        mix_rows(key, tmp, tl);
        for (int j = 0; j < 8; j++)
            tmp[0] ^= tl[j * 256 + 8 * round + j] & (0xff00000000000000UL >> (8 * j));
        for (int i = 0; i < 8; i++)
            key[i] = tmp[i];
        mix_rows(st, tmp, tl);
        for (int i = 0; i < 8; i++)
            st[i] = tmp[i] ^ key[i];
    }
    for (int i = 0; i < 8; i++)
        out[gid * 8 + i] = st[i] ^ msg[i];
}
