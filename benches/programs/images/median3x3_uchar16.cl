// Median of 3 x 3 bytes by a network of minima and maxima, sixteen pixels at a time. The source has a border of one row
// above and below and sixteen bytes to either side.
//! kernel median3x3
//! global 128 2048
//! arg src: buffer uchar 4264000 random 0 255
//! arg dst: buffer uchar 4194304 zero
//! arg src_step: int 2080
//! arg dst_step: int 2048

#define SORT2(a, b) { uchar16 t = min(a, b); b = max(a, b); a = t; }

kernel void median3x3(global const uchar *src, global uchar *dst, int src_step, int dst_step)
{
    int x = get_global_id(0) * 16;
    int y = get_global_id(1);
    global const uchar *p = src + y * src_step + 16 + x;

    uchar16 a0 = vload16(0, p - 1), a1 = vload16(0, p), a2 = vload16(0, p + 1);
    p += src_step;
    uchar16 b0 = vload16(0, p - 1), b1 = vload16(0, p), b2 = vload16(0, p + 1);
    p += src_step;
    uchar16 c0 = vload16(0, p - 1), c1 = vload16(0, p), c2 = vload16(0, p + 1);

    SORT2(a1, a2); SORT2(b1, b2); SORT2(c1, c2);
    SORT2(a0, a1); SORT2(b0, b1); SORT2(c0, c1);
    SORT2(a1, a2); SORT2(b1, b2); SORT2(c1, c2);

    uchar16 lo = max(max(a0, b0), c0);
    uchar16 hi = min(min(a2, b2), c2);
    SORT2(a1, b1);
    uchar16 mid = max(a1, min(b1, c1));
    SORT2(lo, hi);
    mid = min(max(mid, lo), hi);
    vstore16(mid, 0, dst + y * dst_step + x);
}
