// A Feistel cipher like DES in bit slices, 32 keys per word: the bits of both halves are planes of uints, the S-boxes
// boolean expressions with bitselect, and key bits lie in local memory.
//! kernel slice
//! global 4096
//! local 32
//! arg keys: buffer uint 229376 random 0 4294967295
//! arg plain: buffer uint 2 random 0 4294967295
//! arg found: buffer uint 4096 zero
//! arg first: buffer uint 16384 zero

constant uchar P[32] = {
    16, 25, 12, 11, 3, 20, 4, 15, 31, 17, 9, 6, 27, 14, 1, 22,
    30, 24, 8, 18, 0, 5, 29, 23, 13, 19, 2, 26, 10, 21, 28, 7};

static void box(const uint *in, const uint *key, uint *out, int which)
{
    const uint a = in[0] ^ key[0], b = in[1] ^ key[1], c = in[2] ^ key[2];
    const uint d = in[3] ^ key[3], e = in[4] ^ key[4], f = in[5] ^ key[5];
    const uint t0 = bitselect(a, ~b, c), t1 = bitselect(d, e ^ a, f), t2 = (b | ~d) ^ (e & c);
    const uint t3 = bitselect(t0 ^ f, t1, which & 1 ? a : d);
    out[P[which * 4 + 0]] ^= t0 ^ t1;
    out[P[which * 4 + 1]] ^= bitselect(t2, t3, b ^ f);
    out[P[which * 4 + 2]] ^= t3 ^ (t2 & a) ^ e;
    out[P[which * 4 + 3]] ^= ~(t1 & t2) ^ (t0 | c);
}

kernel void slice(global const uint *keys, constant uint *plain, global uint *found, global uint *first)
{
    local uint shared_keys[32 * 56];
    const int lid = get_local_id(0), gid = get_global_id(0);
    for (int i = 0; i < 56; i++)
        shared_keys[i * 32 + lid] = keys[gid * 56 + i];
    uint l[32], r[32], k[6], in[6];
    for (int i = 0; i < 32; i++) {
        l[i] = 0 - ((plain[0] >> i) & 1);
        r[i] = 0 - ((plain[1] >> i) & 1);
    }
    for (int round = 0; round < 16; round++) {
        for (int s = 0; s < 8; s++) {
            for (int i = 0; i < 6; i++) {
                in[i] = r[(s * 4 + i + 31) & 31];
                k[i] = shared_keys[((s * 7 + i * 5 + round * 3) % 56) * 32 + lid];
            }
            box(in, k, l, s);
        }
        for (int i = 0; i < 32; i++) {
            const uint t = l[i];
            l[i] = r[i];
            r[i] = t;
        }
    }
    uint match = ~0u;
    for (int i = 0; i < 6; i++)
        match &= ~(l[i] ^ (0 - ((plain[1] >> i) & 1)));
    found[gid] = match;
    vstore4((uint4)(l[0], l[9], r[18], r[31]), gid, first);
}
