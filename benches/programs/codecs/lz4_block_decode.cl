// Decodes LZ4 blocks, one per work-item: literals, then copies that may overlap themselves. The blocks are made by
// `prepare` from random bytes.
//! kernel decode
//! global 512
//! local 8
//! arg noise: buffer uchar 2097152 random 0 255
//! arg packed: buffer uchar 2097152 zero
//! arg sizes: buffer uint 512 zero
//! arg out: buffer uchar 2097152 zero
//! arg produced: buffer uint 512 zero
//! prepare 512: noise packed sizes

#define BLOCK 4096

kernel void prepare(global const uchar *noise, global uchar *packed, global uint *sizes)
{
    const uint b = get_global_id(0);
    global const uchar *r = noise + b * BLOCK;
    global uchar *p = packed + b * BLOCK;
    uint n = 0, made = 0, at = 0;
    while (made < BLOCK - 600 && n < BLOCK - 300) {
        uint lit = r[at] & 31, match = 4 + (r[at + 1] & 63), l = match - 4;
        if (made == 0)
            lit = 16 + (lit & 15);
        p[n++] = (min(lit, 15u) << 4) | min(l, 15u);
        if (lit >= 15)
            p[n++] = lit - 15;
        for (uint i = 0; i < lit; i++)
            p[n++] = r[(at + i + 2) & (BLOCK - 1)];
        made += lit;
        uint offset = 1 + ((r[at + 2] | r[at + 3] << 8) >> (r[at] >> 5)) % made;
        p[n++] = offset;
        p[n++] = offset >> 8;
        if (l >= 15)
            p[n++] = l - 15;
        made += match;
        at = (at + 5) % (BLOCK - 64);
    }
    p[n++] = 5 << 4;
    for (uint i = 0; i < 5; i++)
        p[n++] = r[i];
    sizes[b] = n;
}

static uint more(global const uchar *p, uint *at, uint n)
{
    uchar c;
    if (n == 15) {
        do {
            c = p[(*at)++];
            n += c;
        } while (c == 255);
    }
    return n;
}

kernel void decode(global const uchar *noise, global const uchar *packed, global const uint *sizes, global uchar *out,
                   global uint *produced)
{
    const uint b = get_global_id(0), size = sizes[b];
    global const uchar *src = packed + b * BLOCK;
    global uchar *dst = out + b * BLOCK;
    uint at = 0, n = 0;
    while (at < size) {
        const uchar token = src[at++];
        const uint lit = more(src, &at, token >> 4);
        for (uint i = 0; i < lit; i++)
            dst[n++] = src[at++];
        if (at >= size)
            break;
        const uint offset = src[at] | src[at + 1] << 8;
        at += 2;
        uint len = more(src, &at, token & 15) + 4;
        if (offset == 0 || offset > n)
            break;
        while (len--) {
            dst[n] = dst[n - offset];
            n++;
        }
    }
    produced[b] = n;
}
