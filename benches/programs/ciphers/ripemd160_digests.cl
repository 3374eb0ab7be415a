// RIPEMD-160 of 32-byte digests: the two lines run through tables of word order and shift, and a Bloom-like bit table
// says whether the words are known.
//! kernel ripemd160
//! global 24576
//! local 128
//! arg digests: buffer uint 196608 random 0 4294967295
//! arg bits: buffer uchar 65536 random 0 255
//! arg out: buffer uint 122880 zero
//! arg known: buffer uchar 24576 zero

constant uchar RL[80] = {
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 7, 4, 13, 1, 10, 6, 15, 3, 12, 0, 9, 5, 2, 14, 11, 8,
    3, 10, 14, 4, 9, 15, 8, 1, 2, 7, 0, 6, 13, 11, 5, 12, 1, 9, 11, 10, 0, 8, 12, 4, 13, 3, 7, 15, 14, 5, 6, 2,
    4, 0, 5, 9, 7, 12, 2, 10, 14, 1, 3, 8, 11, 6, 15, 13};
constant uchar RR[80] = {
    5, 14, 7, 0, 9, 2, 11, 4, 13, 6, 15, 8, 1, 10, 3, 12, 6, 11, 3, 7, 0, 13, 5, 10, 14, 15, 8, 12, 4, 9, 1, 2,
    15, 5, 1, 3, 7, 14, 6, 9, 11, 8, 12, 2, 10, 0, 4, 13, 8, 6, 4, 1, 3, 11, 15, 0, 5, 12, 2, 13, 9, 7, 10, 14,
    12, 15, 10, 4, 1, 5, 8, 7, 6, 2, 13, 14, 0, 3, 9, 11};
constant uchar SL[80] = {
    11, 14, 15, 12, 5, 8, 7, 9, 11, 13, 14, 15, 6, 7, 9, 8, 7, 6, 8, 13, 11, 9, 7, 15, 7, 12, 15, 9, 11, 7, 13, 12,
    11, 13, 6, 7, 14, 9, 13, 15, 14, 8, 13, 6, 5, 12, 7, 5, 11, 12, 14, 15, 14, 15, 9, 8, 9, 14, 5, 6, 8, 6, 5, 12,
    9, 15, 5, 11, 6, 8, 13, 12, 5, 12, 13, 14, 11, 8, 5, 6};
constant uchar SR[80] = {
    8, 9, 9, 11, 13, 15, 15, 5, 7, 7, 8, 11, 14, 14, 12, 6, 9, 13, 15, 7, 12, 8, 9, 11, 7, 7, 12, 7, 6, 15, 13, 11,
    9, 7, 15, 11, 8, 6, 6, 14, 12, 13, 5, 14, 13, 13, 7, 5, 15, 5, 8, 11, 14, 14, 6, 14, 6, 9, 12, 9, 12, 5, 15, 8,
    8, 5, 12, 9, 12, 5, 14, 6, 8, 13, 6, 5, 15, 13, 11, 11};
constant uint KL[5] = {0, 0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xa953fd4e};
constant uint KR[5] = {0x50a28be6, 0x5c4dd124, 0x6d703ef3, 0x7a6d76e9, 0};

static uint mix(uint round, uint x, uint y, uint z)
{
    switch (round) {
    case 0: return x ^ y ^ z;
    case 1: return (x & y) | (~x & z);
    case 2: return (x | ~y) ^ z;
    case 3: return (x & z) | (y & ~z);
    }
    return x ^ (y | ~z);
}

static void line(uint *v, const uint *w, constant uchar *order, constant uchar *shift, constant uint *k, bool back)
{
    for (uint j = 0; j < 80; j++) {
        uint q = j / 16;
        uint t = rotate(v[0] + mix(back ? 4 - q : q, v[1], v[2], v[3]) + w[order[j]] + k[q], (uint)shift[j]) + v[4];
        v[0] = v[4];
        v[4] = v[3];
        v[3] = rotate(v[2], 10u);
        v[2] = v[1];
        v[1] = t;
    }
}

kernel void ripemd160(global const uint *digests, global const uchar *bits, global uint *out, global uchar *known)
{
    size_t gid = get_global_id(0);
    uint w[16] = {0}, h[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}, l[5], r[5];
    for (int i = 0; i < 8; i++)
        w[i] = digests[gid * 8 + i];
    w[8] = 0x80;
    w[14] = 256;
    for (int i = 0; i < 5; i++)
        l[i] = r[i] = h[i];
    line(l, w, RL, SL, KL, false);
    line(r, w, RR, SR, KR, true);
    uchar hit = 1;
    for (int i = 0; i < 5; i++) {
        uint x = h[(i + 1) % 5] + l[(i + 2) % 5] + r[(i + 3) % 5];
        out[gid * 5 + i] = x;
        hit &= bits[(x >> 3) & 65535] >> (x & 7);
    }
    known[gid] = hit & 1;
}
