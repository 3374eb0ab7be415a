// Adaptive binary range decoder in the manner of LZMA: bit trees of 8 bits with 11-bit probabilities that live in
// private memory, one stream per work-item.
//! kernel decode
//! global 1024
//! local 16
//! arg stream: buffer uchar 262144 random 0 255
//! arg out: buffer uchar 131072 zero
//! arg n: int 128

typedef struct {
    uint range, code;
    global const uchar *in;
} decoder;

static uint bit(decoder *d, ushort *prob)
{
    const uint bound = (d->range >> 11) * *prob;
    uint b;
    if (d->code < bound) {
        d->range = bound;
        *prob += (2048 - *prob) >> 5;
        b = 0;
    } else {
        d->range -= bound;
        d->code -= bound;
        *prob -= *prob >> 5;
        b = 1;
    }
    if (d->range < 1u << 24) {
        d->range <<= 8;
        d->code = (d->code << 8) | *d->in++;
    }
    return b;
}

kernel void decode(global const uchar *stream, global uchar *out, int n)
{
    const size_t gid = get_global_id(0);
    ushort tree[256];
    for (int i = 0; i < 256; i++)
        tree[i] = 1024;
    decoder d = {0xffffffffu, 0, stream + gid * 256};
    for (int i = 0; i < 4; i++)
        d.code = (d.code << 8) | *d.in++;
    if (d.code == 0xffffffffu)
        d.code--;
    for (int i = 0; i < n; i++) {
        uint m = 1;
        while (m < 256)
            m = (m << 1) | bit(&d, &tree[m]);
        out[gid * n + i] = m;
    }
}
