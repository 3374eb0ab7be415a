// Perspective warp of bytes with bilinear weights in fixed point: coordinates are worked out in doubles and split into
// a whole part and five bits of fraction.
//! kernel warp_perspective
//! global 800 600
//! arg src: buffer uchar 480000 random 0 255
//! arg dst: buffer uchar 480000 zero
//! arg cols: int 800
//! arg rows: int 600
//! arg m6: double 0.00011
//! arg m7: double -0.00007

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

#define BITS 5
#define TAB (1 << BITS)

int fetch(global const uchar *src, int x, int y, int cols, int rows)
{
    return (x >= 0 && x < cols && y >= 0 && y < rows) ? src[y * cols + x] : 0;
}

kernel void warp_perspective(global const uchar *src, global uchar *dst, int cols, int rows, double m6, double m7)
{
    int dx = get_global_id(0);
    int dy = get_global_id(1);
    if (dx < cols && dy < rows) {
        double x0 = 0.913 * dx - 0.117 * dy + 41.5;
        double y0 = 0.087 * dx + 0.951 * dy - 17.25;
        double w = m6 * dx + m7 * dy + 1.0;
        w = w != 0.0 ? TAB / w : 0.0;
        int fx = convert_int_sat_rte(x0 * w);
        int fy = convert_int_sat_rte(y0 * w);
        int sx = fx >> BITS, sy = fy >> BITS;
        int ax = fx & (TAB - 1), ay = fy & (TAB - 1);

        int v = fetch(src, sx, sy, cols, rows) * (TAB - ax) * (TAB - ay)
              + fetch(src, sx + 1, sy, cols, rows) * ax * (TAB - ay)
              + fetch(src, sx, sy + 1, cols, rows) * (TAB - ax) * ay
              + fetch(src, sx + 1, sy + 1, cols, rows) * ax * ay;
        dst[dy * cols + dx] = (uchar)((v + TAB * TAB / 2) >> (2 * BITS));
    }
}
