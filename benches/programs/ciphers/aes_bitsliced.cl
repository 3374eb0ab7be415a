// Bitsliced SubBytes of AES and a mixing step on 64 bytes at once in eight 64-bit planes; the inverse in GF(256) is
// computed by multiplications of planes, without any table.
//! kernel bitsliced
//! global 65536
//! local 64
//! arg in: buffer uint 1048576 random 0 4294967295
//! arg out: buffer ulong 524288 zero
//! arg rounds: int 3

static void gf_mul(ulong *r, const ulong *a, const ulong *b)
{
    ulong t[15];
    for (int i = 0; i < 15; i++)
        t[i] = 0;
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            t[i + j] ^= a[i] & b[j];
    for (int i = 14; i >= 8; i--) {
        t[i - 4] ^= t[i];
        t[i - 5] ^= t[i];
        t[i - 7] ^= t[i];
        t[i - 8] ^= t[i];
    }
    for (int i = 0; i < 8; i++)
        r[i] = t[i];
}

static void gf_square(ulong *r, const ulong *a)
{
    ulong s[8] = {a[0] ^ a[4] ^ a[6], a[4] ^ a[6] ^ a[7], a[1] ^ a[5], a[4] ^ a[5] ^ a[6] ^ a[7],
                  a[2] ^ a[4] ^ a[7], a[5] ^ a[6], a[3] ^ a[5], a[6] ^ a[7]};
    for (int i = 0; i < 8; i++)
        r[i] = s[i];
}

static void sub_bytes(ulong *x)
{
    ulong a[8], b[8], c[8];
    gf_square(a, x);
    gf_mul(b, a, x);
    gf_square(c, b);
    gf_square(c, c);
    gf_mul(b, c, b);
    gf_mul(a, c, a);
    for (int i = 0; i < 4; i++)
        gf_square(b, b);
    gf_mul(a, b, a);
    for (int i = 0; i < 8; i++)
        x[i] = a[i] ^ a[(i + 4) & 7] ^ a[(i + 5) & 7] ^ a[(i + 6) & 7] ^ a[(i + 7) & 7] ^ (0UL - ((0x63 >> i) & 1));
}

kernel void bitsliced(global const uint *in, global ulong *out, int rounds)
{
    const size_t gid = get_global_id(0);
    ulong x[8];
    for (int i = 0; i < 8; i++)
        x[i] = as_ulong(vload2(gid * 8 + i, in));
    for (int r = 0; r < rounds; r++) {
        sub_bytes(x);
        ulong top = x[7];
        for (int i = 7; i > 0; i--)
            x[i] = rotate(x[i], 8UL) ^ x[i - 1] ^ (i == 1 || i == 3 || i == 4 ? top : 0);
        x[0] = rotate(x[0], 8UL) ^ top;
    }
    vstore8((ulong8)(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]), gid, out);
}
