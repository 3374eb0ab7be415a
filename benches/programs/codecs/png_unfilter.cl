// Undoes PNG row filters (none, sub, up, average, Paeth) of many small RGB tiles; the row above is kept in a private
// array.
//! kernel unfilter
//! global 1024
//! arg tiles: buffer uchar 1589248 random 0 255
//! arg out: buffer uchar 1572864 zero

#define W 32
#define H 16
#define BPP 3

static uchar paeth(int a, int b, int c)
{
    const int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);
    if (pa <= pb && pa <= pc)
        return a;
    return pb <= pc ? b : c;
}

kernel void unfilter(global const uchar *tiles, global uchar *out)
{
    const size_t t = get_global_id(0);
    global const uchar *in = tiles + t * (W * BPP + 1) * H;
    uchar line[BPP + W * BPP];
    for (int i = 0; i < BPP + W * BPP; i++)
        line[i] = 0;
    for (int y = 0; y < H; y++) {
        const uchar type = *in++ % 5;
        uchar corner[BPP] = {0};
        for (int x = 0; x < W * BPP; x++) {
            const uchar raw = in[x], left = line[x], up = line[x + BPP], upleft = corner[x % BPP];
            uchar v = raw;
            switch (type) {
            case 1: v += left; break;
            case 2: v += up; break;
            case 3: v += (left + up) >> 1; break;
            case 4: v += paeth(left, up, upleft); break;
            }
            corner[x % BPP] = up;
            line[x + BPP] = v;
            out[(t * H + y) * W * BPP + x] = v;
        }
        in += W * BPP;
    }
}
