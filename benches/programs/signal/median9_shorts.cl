// Running median of nine over 16-bit time series by a network of compare and swap on vectors of eight shorts; the ends
// of a series repeat their outermost sample.
//! kernel median9
//! global 128 2048
//! local 32 2
//! arg in: buffer short 2097152 random -32768 32767
//! arg out: buffer short 2097152 zero
//! arg len: int 1024

#define SORT2(a, b) { short8 lo = min(a, b); b = max(a, b); a = lo; }

short8 window(global const short *row, int at, int len)
{
    if (at >= 0 && at + 8 <= len)
        return vload8(0, row + at);
    short v[8];
    for (int k = 0; k < 8; k++)
        v[k] = row[clamp(at + k, 0, len - 1)];
    return vload8(0, v);
}

kernel void median9(global const short *in, global short *out, int len)
{
    int at = get_global_id(0) * 8;
    global const short *row = in + get_global_id(1) * len;
    short8 p[9];
    for (int k = 0; k < 9; k++)
        p[k] = window(row, at + k - 4, len);

    SORT2(p[1], p[2]) SORT2(p[4], p[5]) SORT2(p[7], p[8])
    SORT2(p[0], p[1]) SORT2(p[3], p[4]) SORT2(p[6], p[7])
    SORT2(p[1], p[2]) SORT2(p[4], p[5]) SORT2(p[7], p[8])
    p[3] = max(p[0], p[3]);
    p[5] = min(p[5], p[8]);
    SORT2(p[4], p[7])
    p[6] = max(p[3], p[6]);
    p[4] = max(p[1], p[4]);
    p[2] = min(p[2], p[5]);
    p[4] = min(p[4], p[7]);
    SORT2(p[4], p[2])
    p[4] = max(p[6], p[4]);
    p[4] = min(p[4], p[2]);
    vstore8(p[4], 0, out + get_global_id(1) * len + at);
}
