// Box filter of 17 rows by running sums: each work-item moves down four columns of a strip, adding the row that enters
// the window and taking off the one that leaves.
//! kernel box_columns
//! global 480 16
//! local 32 1
//! arg src: buffer uchar 2211840 random 0 255
//! arg dst: buffer ushort 2211840 zero
//! arg cols: int 1920
//! arg rows: int 1152

#define RADIUS 8

kernel void box_columns(global const uchar *src, global ushort *dst, int cols, int rows)
{
    int x4 = get_global_id(0);
    int strip = rows / (int)get_global_size(1);
    int y0 = get_global_id(1) * strip;
    uint4 sum = 0;

    for (int y = y0 - RADIUS; y <= y0 + RADIUS; y++)
        sum += convert_uint4(vload4(x4, src + clamp(y, 0, rows - 1) * cols));

    for (int y = y0; y < y0 + strip; y++) {
        vstore4(convert_ushort4(sum * 16 / (2 * RADIUS + 1)), x4, dst + y * cols);
        int enter = min(y + RADIUS + 1, rows - 1);
        int leave = max(y - RADIUS, 0);
        sum += convert_uint4(vload4(x4, src + enter * cols));
        sum -= convert_uint4(vload4(x4, src + leave * cols));
    }
}
