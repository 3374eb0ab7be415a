// Poly1305 tags with five 26-bit limbs; messages of varying length in bytes, the last block padded.
//! kernel poly1305
//! global 6144
//! arg msg: buffer uchar 1572864 random 0 255
//! arg len: buffer ushort 6144 random 0 256
//! arg keys: buffer uint 49152 random 0 4294967295
//! arg tags: buffer uint 24576 zero

typedef struct {
    uint r[5], h[5], pad[4];
} poly;

static void block(poly *p, const uchar *m, uint top)
{
    const uint *w = (const uint *)m;
    uint *h = p->h, *r = p->r;
    h[0] += w[0] & 0x3ffffff;
    h[1] += ((w[0] >> 26) | (w[1] << 6)) & 0x3ffffff;
    h[2] += ((w[1] >> 20) | (w[2] << 12)) & 0x3ffffff;
    h[3] += ((w[2] >> 14) | (w[3] << 18)) & 0x3ffffff;
    h[4] += (w[3] >> 8) | (top << 24);
    ulong d[5];
    for (int i = 0; i < 5; i++) {
        d[i] = 0;
        for (int j = 0; j < 5; j++)
            d[i] += (ulong)h[j] * (j <= i ? r[i - j] : 5 * r[5 + i - j]);
    }
    ulong carry = 0;
    for (int i = 0; i < 5; i++) {
        d[i] += carry;
        h[i] = d[i] & 0x3ffffff;
        carry = d[i] >> 26;
    }
    h[0] += carry * 5;
    h[1] += h[0] >> 26;
    h[0] &= 0x3ffffff;
}

kernel void poly1305(global const uchar *msg, global const ushort *len, global const uint4 *keys, global uint *tags)
{
    const uint id = get_global_id(0), n = len[id];
    poly p;
    uint4 k = keys[2 * id] & (uint4)(0x0fffffff, 0x0ffffffc, 0x0ffffffc, 0x0ffffffc);
    p.r[0] = k.x & 0x3ffffff;
    p.r[1] = ((k.x >> 26) | (k.y << 6)) & 0x3ffffff;
    p.r[2] = ((k.y >> 20) | (k.z << 12)) & 0x3ffffff;
    p.r[3] = ((k.z >> 14) | (k.w << 18)) & 0x3ffffff;
    p.r[4] = k.w >> 8;
    vstore4(keys[2 * id + 1], 0, p.pad);
    for (int i = 0; i < 5; i++)
        p.h[i] = 0;
    union { uchar b[16]; uint4 v; } buf;
    for (uint pos = 0; pos < n; pos += 16) {
        uint here = min(n - pos, 16u);
        buf.v = 0;
        for (uint i = 0; i < here; i++)
            buf.b[i] = msg[id * 256 + pos + i];
        if (here < 16)
            buf.b[here] = 1;
        block(&p, buf.b, here == 16);
    }
    for (int i = 1; i < 10; i++) {
        p.h[(i + 1) % 5] += (i % 5 == 4 ? 5 : 1) * (p.h[i % 5] >> 26);
        p.h[i % 5] &= 0x3ffffff;
    }
    ulong f = 0;
    for (int i = 0; i < 4; i++) {
        f += (ulong)((p.h[i] >> (6 * i)) | (p.h[i + 1] << (26 - 6 * i))) + p.pad[i];
        tags[4 * id + i] = (uint)f;
        f >>= 32;
    }
}
