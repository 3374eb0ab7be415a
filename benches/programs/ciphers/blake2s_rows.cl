// BLAKE2s-256 of single blocks with the working state kept as four uint4 rows that are turned by swizzles.
//! kernel blake2s
//! global 32768
//! local 64
//! arg msg: buffer uint 524288 random 0 4294967295
//! arg out: buffer uint 262144 zero

constant uchar sg[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

#define HALF(a, b, c, d, m0, m1)             \
    a += b + m0;                             \
    d = rotate(d ^ a, (uint4)(16));          \
    c += d;                                  \
    b = rotate(b ^ c, (uint4)(20));          \
    a += b + m1;                             \
    d = rotate(d ^ a, (uint4)(24));          \
    c += d;                                  \
    b = rotate(b ^ c, (uint4)(25))

kernel void blake2s(global const uint *msg, global uint *out)
{
    const uint gid = get_global_id(0);
    uint m[16];
    vstore16(vload16(gid, msg), 0, m);
    const uint4 iv0 = (uint4)(0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a);
    const uint4 iv1 = (uint4)(0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19);
    uint4 h0 = iv0, h1 = iv1;
    h0.x ^= 0x01010020;
    uint4 a = h0, b = h1, c = iv0, d = iv1 ^ (uint4)(64, 0, 0xffffffff, 0);
    for (int r = 0; r < 10; r++) {
        constant uchar *s = sg[r];
        HALF(a, b, c, d, (uint4)(m[s[0]], m[s[2]], m[s[4]], m[s[6]]),
             (uint4)(m[s[1]], m[s[3]], m[s[5]], m[s[7]]));
        b = b.yzwx;
        c = c.zwxy;
        d = d.wxyz;
        HALF(a, b, c, d, (uint4)(m[s[8]], m[s[10]], m[s[12]], m[s[14]]),
             (uint4)(m[s[9]], m[s[11]], m[s[13]], m[s[15]]));
        b = b.wxyz;
        c = c.zwxy;
        d = d.yzwx;
    }
    vstore4(h0 ^ a ^ c, gid * 2, out);
    vstore4(h1 ^ b ^ d, gid * 2 + 1, out);
}
