// Tries passwords made from a mask: the right part of each word is given, the kernel walks through the left characters,
// hashes the UTF-16 form with MD4 as NTLM does and compares with a list of digests.
//! kernel ntlm_mask
//! global 16384
//! local 64
//! arg words_l: buffer uint 16 random 97 122
//! arg words_r: buffer uint 16384 random 6357089 7995514
//! arg digests: buffer uint 64 random 0 4294967295
//! arg bitmap: buffer uint 2048 random 0 4294967295
//! arg hits: buffer uint 16384 zero
//! arg best: buffer uint 16384 zero
//! arg n_left: uint 16
//! arg n_digests: uint 64

#define F(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define G(x, y, z) (((x) & (y)) | ((z) & ((x) | (y))))
#define H(x, y, z) ((x) ^ (y) ^ (z))
#define STEP(f, a, b, c, d, x, k, s) \
    a += f(b, c, d) + (x) + (k);     \
    a = rotate(a, (uint)(s))

inline void md4_block(uint *h, const uint *w)
{
    uint a = h[0], b = h[1], c = h[2], d = h[3];
    for (int i = 0; i < 16; i += 4) {
        STEP(F, a, b, c, d, w[i + 0], 0u, 3);
        STEP(F, d, a, b, c, w[i + 1], 0u, 7);
        STEP(F, c, d, a, b, w[i + 2], 0u, 11);
        STEP(F, b, c, d, a, w[i + 3], 0u, 19);
    }
    for (int i = 0; i < 4; i++) {
        STEP(G, a, b, c, d, w[i + 0], 0x5a827999u, 3);
        STEP(G, d, a, b, c, w[i + 4], 0x5a827999u, 5);
        STEP(G, c, d, a, b, w[i + 8], 0x5a827999u, 9);
        STEP(G, b, c, d, a, w[i + 12], 0x5a827999u, 13);
    }
    const int order[4] = {0, 2, 1, 3};
    for (int i = 0; i < 4; i++) {
        const int o = order[i];
        STEP(H, a, b, c, d, w[o + 0], 0x6ed9eba1u, 3);
        STEP(H, d, a, b, c, w[o + 8], 0x6ed9eba1u, 9);
        STEP(H, c, d, a, b, w[o + 4], 0x6ed9eba1u, 11);
        STEP(H, b, c, d, a, w[o + 12], 0x6ed9eba1u, 15);
    }
    h[0] += a;
    h[1] += b;
    h[2] += c;
    h[3] += d;
}

kernel void ntlm_mask(global const uint *words_l, global const uint *words_r, global const uint *digests,
                      global const uint *bitmap, global uint *hits, global uint *best, uint n_left, uint n_digests)
{
    const uint gid = get_global_id(0);
    uint w[16] = {0};
    const uint right = words_r[gid];
    uint found = 0, lowest = 0xffffffffu;
    for (uint il = 0; il < n_left; il++) {
        w[0] = words_l[il] | ((right & 0x7f) << 16);
        w[1] = right & 0x007f007f;
        w[2] = (right >> 3) & 0x007f007f;
        w[3] = 0x80;
        w[14] = 12 * 8;
        uint h[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
        md4_block(h, w);
        lowest = min(lowest, h[3]);
        if (!((bitmap[(h[0] >> 5) & 2047] >> (h[0] & 31)) & 1))
            continue;
        for (uint d = 0; d < n_digests; d++)
            if ((digests[d] & 0x3ff) == (h[0] & 0x3ff))
                found++;
    }
    hits[gid] = found;
    best[gid] = lowest;
}
