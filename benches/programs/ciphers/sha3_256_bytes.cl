// SHA3-256 over messages of varying length; the sponge state is a union of lanes and bytes and the input is absorbed
// byte by byte.
//! kernel sha3_256
//! global 4096
//! local 64
//! arg data: buffer uchar 1048576 random 0 255
//! arg offsets: buffer uint 4096 random 0 1048000
//! arg lengths: buffer uint 4096 random 1 400
//! arg out: buffer uchar 131072 zero

typedef union {
    ulong lane[25];
    uchar byte[200];
} sponge;

constant ulong rc[24] = {
    0x0000000000000001UL, 0x0000000000008082UL, 0x800000000000808aUL, 0x8000000080008000UL, 0x000000000000808bUL,
    0x0000000080000001UL, 0x8000000080008081UL, 0x8000000000008009UL, 0x000000000000008aUL, 0x0000000000000088UL,
    0x0000000080008009UL, 0x000000008000000aUL, 0x000000008000808bUL, 0x800000000000008bUL, 0x8000000000008089UL,
    0x8000000000008003UL, 0x8000000000008002UL, 0x8000000000000080UL, 0x000000000000800aUL, 0x800000008000000aUL,
    0x8000000080008081UL, 0x8000000000008080UL, 0x0000000080000001UL, 0x8000000080008008UL};
constant int rotc[24] = {1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44};
constant int piln[24] = {10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1};

static void keccakf(ulong *st)
{
    ulong bc[5];
    for (int r = 0; r < 24; r++) {
        for (int i = 0; i < 5; i++)
            bc[i] = st[i] ^ st[i + 5] ^ st[i + 10] ^ st[i + 15] ^ st[i + 20];
        for (int i = 0; i < 5; i++) {
            ulong t = bc[(i + 4) % 5] ^ rotate(bc[(i + 1) % 5], 1UL);
            for (int j = 0; j < 25; j += 5)
                st[j + i] ^= t;
        }
        ulong t = st[1];
        for (int i = 0; i < 24; i++) {
            int j = piln[i];
            ulong keep = st[j];
            st[j] = rotate(t, (ulong)rotc[i]);
            t = keep;
        }
        for (int j = 0; j < 25; j += 5) {
            for (int i = 0; i < 5; i++)
                bc[i] = st[j + i];
            for (int i = 0; i < 5; i++)
                st[j + i] ^= ~bc[(i + 1) % 5] & bc[(i + 2) % 5];
        }
        st[0] ^= rc[r];
    }
}

kernel void sha3_256(global const uchar *data, global const uint *offsets, global const uint *lengths,
                     global uchar *out)
{
    const uint gid = get_global_id(0), len = lengths[gid], rate = 136;
    global const uchar *in = data + offsets[gid];
    sponge s;
    for (int i = 0; i < 25; i++)
        s.lane[i] = 0;
    uint pt = 0;
    for (uint i = 0; i < len; i++) {
        s.byte[pt++] ^= in[i];
        if (pt == rate) {
            keccakf(s.lane);
            pt = 0;
        }
    }
    s.byte[pt] ^= 0x06;
    s.byte[rate - 1] ^= 0x80;
    keccakf(s.lane);
    for (int i = 0; i < 32; i++)
        out[gid * 32 + i] = s.byte[i];
}
