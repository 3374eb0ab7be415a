// Demosaics BGGR bytes a quad at a time with the green channel interpolated along the smaller gradient; every work-item
// writes 2 x 2 RGBA pixels.
//! kernel demosaic_quad
//! global 512 384
//! arg raw: buffer uchar 794752 random 0 255
//! arg out: buffer uchar 3145728 zero
//! arg pitch: int 1028

// The raw image has a border of two samples on all sides.
inline uchar green_at(global const uchar *p, int pitch)
{
    int gh = abs_diff((int)p[-1], (int)p[1]) + abs(2 * p[0] - p[-2] - p[2]);
    int gv = abs_diff((int)p[-pitch], (int)p[pitch])
           + abs(2 * p[0] - p[-2 * pitch] - p[2 * pitch]);
    int h = (2 * (p[-1] + p[1]) + 2 * p[0] - p[-2] - p[2]) / 4;
    int v = (2 * (p[-pitch] + p[pitch]) + 2 * p[0] - p[-2 * pitch] - p[2 * pitch]) / 4;
    int g = gh < gv ? h : gv < gh ? v : (h + v) / 2;
    return convert_uchar_sat(g);
}

kernel void demosaic_quad(global const uchar *raw, global uchar4 *out, int pitch)
{
    int qx = get_global_id(0), qy = get_global_id(1);
    int w = get_global_size(0) * 2;
    global const uchar *p = raw + (2 * qy + 2) * pitch + 2 * qx + 2;
    global const uchar *q = p + pitch;
    global uchar4 *o = out + 2 * qy * w + 2 * qx;

    uchar b = p[0], r = q[1];
    o[0] = (uchar4)(rhadd(rhadd(q[1], q[-1]), rhadd(p[1 - pitch], p[-1 - pitch])),
                    green_at(p, pitch), b, 255);
    o[1] = (uchar4)(rhadd(q[1], p[1 - pitch]), p[1], rhadd(p[0], p[2]), 255);
    o[w] = (uchar4)(rhadd(q[-1], q[1]), q[0], rhadd(p[0], q[pitch]), 255);
    o[w + 1] = (uchar4)(r, green_at(q + 1, pitch),
                        rhadd(rhadd(p[0], p[2]), rhadd(q[pitch], q[pitch + 2])), 255);
}
