// Sharpens the luma of RGBA bytes by an unsharp mask and keys out pixels near green; all arithmetic is in ints.
//! kernel key_unsharp
//! global 1024 600
//! arg src: buffer uchar 2457600 random 0 255
//! arg dst: buffer uchar 2457600 zero
//! arg w: int 1024
//! arg h: int 600
//! arg amount: int 96

int luma(uchar4 c)
{
    return (54 * c.x + 183 * c.y + 19 * c.z) >> 8;
}

kernel void key_unsharp(global const uchar4 *src, global uchar4 *dst, int w, int h, int amount)
{
    int2 p = (int2)((int)get_global_id(0), (int)get_global_id(1));
    uchar4 c = src[p.y * w + p.x];

    if (any(p == 0) || p.x == w - 1 || p.y == h - 1) {
        dst[p.y * w + p.x] = c;
        return;
    }
    int around = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            around += (2 - abs(i)) * (2 - abs(j)) * luma(src[(p.y + j) * w + p.x + i]);

    int detail = ((luma(c) * 16 - around) * amount) >> 10;
    int4 v = convert_int4(c) + detail;
    uchar4 r = convert_uchar4_sat(v);
    int green = c.y - max(c.x, c.z);
    r.w = green > 80 ? 0 : green > 30 ? (80 - green) * 255 / 50 : c.w;
    dst[p.y * w + p.x] = r;
}
