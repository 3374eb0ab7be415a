// Decodes lossless audio residuals: Rice codes with unary quotients found by clz, then a second-order predictor that
// gives 16-bit samples.
//! kernel rice
//! global 2048
//! local 64
//! arg noise: buffer uint 262144 random 0 4294967295
//! arg samples: buffer short 524288 zero
//! arg bits_used: buffer ushort 2048 zero

typedef struct {
    global const uint *w;
    uint pos;
} bits;

static uint peek(const bits *b)
{
    uint i = b->pos >> 5, s = b->pos & 31;
    ulong two = ((ulong)b->w[i & 127] << 32) | b->w[(i + 1) & 127];
    return (uint)(two >> (32 - s));
}

static int rice_code(bits *b, uint k)
{
    uint q = 0;
    for (;;) {
        uint v = peek(b), z = clz(v);
        if (z < 32) {
            q += z;
            b->pos += z + 1;
            break;
        }
        q += 32;
        b->pos += 32;
    }
    uint v = q << k;
    if (k) {
        v |= peek(b) >> (32 - k);
        b->pos += k;
    }
    return (int)(v >> 1) ^ -(int)(v & 1);
}

kernel void rice(global const uint *noise, global short *samples, global ushort *bits_used)
{
    const size_t frame = get_global_id(0);
    bits b = {noise + frame * 128, 0};
    uint k = 3 + (noise[frame * 128] & 7);
    int p1 = 0, p2 = 0;
    b.pos = 8;
    for (int i = 0; i < 256; i++) {
        int s = 2 * p1 - p2 + rice_code(&b, k);
        s = clamp(s, -32768, 32767);
        samples[frame * 256 + i] = s;
        p2 = (p1 * 15) >> 4;
        p1 = s - (s >> 3);
    }
    bits_used[frame] = b.pos;
}
