// Sobel gradients of a byte image through a tile with a halo in local memory; writes the magnitude (sum of absolute
// values) and the direction in one of four sectors.
//! kernel sobel
//! global 1280 720
//! local 16 16
//! arg img: buffer uchar 921600 random 0 255
//! arg mag: buffer ushort 921600 zero
//! arg sector: buffer uchar 921600 zero
//! arg cols: int 1280
//! arg rows: int 720

#define TS 16

uchar classify(int gx, int gy)
{
    const int TG22 = 13573;
    int ax = abs(gx);
    int ay = abs(gy) << 15;
    int tg22 = ax * TG22;
    if (ay < tg22)
        return 0;
    if (ay > tg22 + (ax << 16))
        return 2;
    return (gx ^ gy) < 0 ? 3 : 1;
}

kernel void sobel(global const uchar *img, global ushort *mag, global uchar *sector, int cols, int rows)
{
    local short t[TS + 2][TS + 2];
    int lx = get_local_id(0), ly = get_local_id(1);
    int x0 = get_group_id(0) * TS - 1, y0 = get_group_id(1) * TS - 1;

    for (int i = ly * TS + lx; i < (TS + 2) * (TS + 2); i += TS * TS) {
        int sx = clamp(x0 + i % (TS + 2), 0, cols - 1);
        int sy = clamp(y0 + i / (TS + 2), 0, rows - 1);
        t[i / (TS + 2)][i % (TS + 2)] = img[sy * cols + sx];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    int gx = t[ly][lx + 2] + 2 * t[ly + 1][lx + 2] + t[ly + 2][lx + 2]
           - t[ly][lx] - 2 * t[ly + 1][lx] - t[ly + 2][lx];
    int gy = t[ly + 2][lx] + 2 * t[ly + 2][lx + 1] + t[ly + 2][lx + 2]
           - t[ly][lx] - 2 * t[ly][lx + 1] - t[ly][lx + 2];
    int o = get_global_id(1) * cols + get_global_id(0);
    mag[o] = (ushort)(abs(gx) + abs(gy));
    sector[o] = classify(gx, gy);
}
