// GHASH over short records by shift and conditional xor, 128 steps a block, with the number held in a ulong2.
//! kernel ghash
//! global 4096
//! local 64
//! arg data: buffer uchar 524288 random 0 255
//! arg tag: buffer uchar 65536 zero
//! arg h0: ulong 7416233447837352110
//! arg h1: ulong 3311903840294093485

static ulong2 gmul(ulong2 x, ulong2 y)
{
    ulong2 z = 0, v = y;
    for (int i = 0; i < 128; i++) {
        ulong bit = (i < 64 ? x.x >> (63 - i) : x.y >> (127 - i)) & 1;
        z ^= v & (ulong2)(0 - bit);
        ulong low = v.y & 1;
        v.y = (v.y >> 1) | (v.x << 63);
        v.x = (v.x >> 1) ^ ((0 - low) & 0xe100000000000000UL);
    }
    return z;
}

kernel void ghash(global const uchar *data, global uchar *tag, ulong h0, ulong h1)
{
    size_t id = get_global_id(0);
    int blocks = 1 + (id * 7 & 7);
    ulong2 acc = 0;
    for (int b = 0; b < blocks; b++) {
        uchar16 v = vload16(id * 8 + b, data);
        acc ^= as_ulong2(v.s76543210fedcba98);
        acc = gmul(acc, (ulong2)(h0, h1));
    }
    acc.y ^= (ulong)blocks * 128;
    acc = gmul(acc, (ulong2)(h0, h1));
    vstore16(as_uchar16(acc).s76543210fedcba98, id, tag);
}
