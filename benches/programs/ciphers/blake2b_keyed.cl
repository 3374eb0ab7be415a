// BLAKE2b-512 of messages of two blocks behind a block for the key; the rounds are written with a macro and a table of
// permutations.
//! kernel blake2b
//! global 6000
//! local 60
//! arg msg: buffer ulong 192000 random 0 4294967295
//! arg out: buffer ulong 48000 zero
//! arg key: ulong 81985529216486895

constant uchar sigma[12][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3}};
constant ulong IV[8] = {
    0x6a09e667f3bcc908UL, 0xbb67ae8584caa73bUL, 0x3c6ef372fe94f82bUL, 0xa54ff53a5f1d36f1UL,
    0x510e527fade682d1UL, 0x9b05688c2b3e6c1fUL, 0x1f83d9abfb41bd6bUL, 0x5be0cd19137e2179UL};

#define G(r, i, a, b, c, d)                          \
    do {                                             \
        v[a] += v[b] + m[sigma[r][2 * i]];           \
        v[d] = rotate(v[d] ^ v[a], 32UL);            \
        v[c] += v[d];                                \
        v[b] = rotate(v[b] ^ v[c], 40UL);            \
        v[a] += v[b] + m[sigma[r][2 * i + 1]];       \
        v[d] = rotate(v[d] ^ v[a], 48UL);            \
        v[c] += v[d];                                \
        v[b] = rotate(v[b] ^ v[c], 1UL);             \
    } while (0)

void compress(ulong *h, const ulong *m, ulong t, bool last)
{
    ulong v[16];
    for (int i = 0; i < 8; i++) {
        v[i] = h[i];
        v[i + 8] = IV[i];
    }
    v[12] ^= t;
    if (last)
        v[14] = ~v[14];
    for (int r = 0; r < 12; r++) {
        G(r, 0, 0, 4, 8, 12);
        G(r, 1, 1, 5, 9, 13);
        G(r, 2, 2, 6, 10, 14);
        G(r, 3, 3, 7, 11, 15);
        G(r, 4, 0, 5, 10, 15);
        G(r, 5, 1, 6, 11, 12);
        G(r, 6, 2, 7, 8, 13);
        G(r, 7, 3, 4, 9, 14);
    }
    for (int i = 0; i < 8; i++)
        h[i] ^= v[i] ^ v[i + 8];
}

kernel void blake2b(global const ulong *msg, global ulong *out, ulong key)
{
    size_t id = get_global_id(0);
    ulong h[8], m[16];
    for (int i = 0; i < 8; i++)
        h[i] = IV[i];
    h[0] ^= 0x01010040UL ^ (8UL << 8);
    for (int block = 0; block < 3; block++) {
        for (int i = 0; i < 16; i++)
            m[i] = block == 0 ? (i == 0 ? key : 0UL) : msg[id * 32 + (block - 1) * 16 + i] * 0x9e3779b97f4a7c15UL;
        compress(h, m, 128UL * (block + 1), block == 2);
    }
    for (int i = 0; i < 8; i++)
        out[id * 8 + i] = h[i];
}
