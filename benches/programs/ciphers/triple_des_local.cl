// Triple DES: S-boxes and permutation are joined in a table of 8 x 64 words that every group builds in local memory;
// the subkeys are given.
//! kernel des3
//! global 8192
//! local 64
//! arg in: buffer uint 16384 random 0 4294967295
//! arg subkeys: buffer uchar 384 random 0 63
//! arg out: buffer uint 16384 zero

constant uchar sbox[8][64] = {
    {14, 4, 13, 1, 2, 15, 11, 8, 3, 10, 6, 12, 5, 9, 0, 7, 0, 15, 7, 4, 14, 2, 13, 1, 10, 6, 12, 11, 9, 5, 3, 8,
     4, 1, 14, 8, 13, 6, 2, 11, 15, 12, 9, 7, 3, 10, 5, 0, 15, 12, 8, 2, 4, 9, 1, 7, 5, 11, 3, 14, 10, 0, 6, 13},
    {15, 1, 8, 14, 6, 11, 3, 4, 9, 7, 2, 13, 12, 0, 5, 10, 3, 13, 4, 7, 15, 2, 8, 14, 12, 0, 1, 10, 6, 9, 11, 5,
     0, 14, 7, 11, 10, 4, 13, 1, 5, 8, 12, 6, 9, 3, 2, 15, 13, 8, 10, 1, 3, 15, 4, 2, 11, 6, 7, 12, 0, 5, 14, 9},
    {10, 0, 9, 14, 6, 3, 15, 5, 1, 13, 12, 7, 11, 4, 2, 8, 13, 7, 0, 9, 3, 4, 6, 10, 2, 8, 5, 14, 12, 11, 15, 1,
     13, 6, 4, 9, 8, 15, 3, 0, 11, 1, 2, 12, 5, 10, 14, 7, 1, 10, 13, 0, 6, 9, 8, 7, 4, 15, 14, 3, 11, 5, 2, 12},
    {7, 13, 14, 3, 0, 6, 9, 10, 1, 2, 8, 5, 11, 12, 4, 15, 13, 8, 11, 5, 6, 15, 0, 3, 4, 7, 2, 12, 1, 10, 14, 9,
     10, 6, 9, 0, 12, 11, 7, 13, 15, 1, 3, 14, 5, 2, 8, 4, 3, 15, 0, 6, 10, 1, 13, 8, 9, 4, 5, 11, 12, 7, 2, 14},
    {2, 12, 4, 1, 7, 10, 11, 6, 8, 5, 3, 15, 13, 0, 14, 9, 14, 11, 2, 12, 4, 7, 13, 1, 5, 0, 15, 10, 3, 9, 8, 6,
     4, 2, 1, 11, 10, 13, 7, 8, 15, 9, 12, 5, 6, 3, 0, 14, 11, 8, 12, 7, 1, 14, 2, 13, 6, 15, 0, 9, 10, 4, 5, 3},
    {12, 1, 10, 15, 9, 2, 6, 8, 0, 13, 3, 4, 14, 7, 5, 11, 10, 15, 4, 2, 7, 12, 9, 5, 6, 1, 13, 14, 0, 11, 3, 8,
     9, 14, 15, 5, 2, 8, 12, 3, 7, 0, 4, 10, 1, 13, 11, 6, 4, 3, 2, 12, 9, 5, 15, 10, 11, 14, 1, 7, 6, 0, 8, 13},
    {4, 11, 2, 14, 15, 0, 8, 13, 3, 12, 9, 7, 5, 10, 6, 1, 13, 0, 11, 7, 4, 9, 1, 10, 14, 3, 5, 12, 2, 15, 8, 6,
     1, 4, 11, 13, 12, 3, 7, 14, 10, 15, 6, 8, 0, 5, 9, 2, 6, 11, 13, 8, 1, 4, 10, 7, 9, 5, 0, 15, 14, 2, 3, 12},
    {13, 2, 8, 4, 6, 15, 11, 1, 10, 9, 3, 14, 5, 0, 12, 7, 1, 15, 13, 8, 10, 3, 7, 4, 12, 5, 6, 11, 0, 14, 9, 2,
     7, 11, 4, 1, 9, 12, 14, 2, 0, 6, 10, 13, 15, 3, 5, 8, 2, 1, 14, 7, 4, 10, 8, 13, 15, 12, 9, 0, 3, 5, 6, 11}};
constant uchar pinv[32] = {
    8, 16, 22, 30, 12, 27, 1, 17, 23, 15, 29, 5, 25, 19, 9, 0,
    7, 13, 24, 2, 3, 28, 10, 18, 31, 11, 21, 6, 4, 26, 14, 20};

#define EXCHANGE(a, b, n, m)              \
    t = (((a) >> (n)) ^ (b)) & (m);       \
    b ^= t;                               \
    a ^= t << (n)

static uint2 initial(uint2 x)
{
    uint t;
    EXCHANGE(x.x, x.y, 4, 0x0f0f0f0fu);
    EXCHANGE(x.x, x.y, 16, 0x0000ffffu);
    EXCHANGE(x.y, x.x, 2, 0x33333333u);
    EXCHANGE(x.y, x.x, 8, 0x00ff00ffu);
    EXCHANGE(x.x, x.y, 1, 0x55555555u);
    return x;
}

static uint2 sixteen(uint2 x, constant uchar *k, bool backward, local uint (*sp)[64])
{
    for (int i = 0; i < 16; i++) {
        constant uchar *rk = k + 8 * (backward ? 15 - i : i);
        uint e = rotate(x.y, 5u), f = 0;
        for (int b = 0; b < 8; b++, e = rotate(e, 4u))
            f ^= sp[b][(e & 63) ^ rk[b]];
        x = (uint2)(x.y, x.x ^ f);
    }
    return x.yx;
}

kernel void des3(global const uint2 *in, constant uchar *subkeys, global uint2 *out)
{
    local uint sp[8][64];
    for (uint i = get_local_id(0); i < 512; i += get_local_size(0)) {
        uint box = i >> 6, six = i & 63;
        uint v = (uint)sbox[box][(six & 32) | ((six & 1) << 4) | (six >> 1 & 15)] << (28 - 4 * box), p = 0;
        for (int b = 0; b < 32; b++)
            if ((v >> (31 - b)) & 1)
                p |= 0x80000000u >> pinv[b];
        sp[box][six] = p;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint2 x = initial(in[get_global_id(0)]);
    x = sixteen(x, subkeys, false, sp);
    x = sixteen(x, subkeys + 128, true, sp);
    x = sixteen(x, subkeys + 256, false, sp);
    out[get_global_id(0)] = x;
}
