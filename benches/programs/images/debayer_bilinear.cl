// Bilinear demosaic of an RGGB sensor of 12-bit samples: each work-item makes one RGB pixel, whose pattern follows from
// the parity of its row and column.
//! kernel debayer
//! global 1280 800
//! local 64 2
//! arg raw: buffer ushort 1024000 random 64 4095
//! arg rgb: buffer ushort 3072000 zero
//! arg w: int 1280
//! arg h: int 800
//! arg black: int 64

#define RAW(dx, dy) (int)raw[clamp(y + (dy), 0, h - 1) * w + clamp(x + (dx), 0, w - 1)]

kernel void debayer(global const ushort *raw, global ushort *rgb, int w, int h, int black)
{
    int x = get_global_id(0), y = get_global_id(1);
    int c = RAW(0, 0);
    int horizontal = (RAW(-1, 0) + RAW(1, 0) + 1) / 2;
    int vertical = (RAW(0, -1) + RAW(0, 1) + 1) / 2;
    int cross = (RAW(-1, 0) + RAW(1, 0) + RAW(0, -1) + RAW(0, 1) + 2) / 4;
    int diagonal = (RAW(-1, -1) + RAW(1, -1) + RAW(-1, 1) + RAW(1, 1) + 2) / 4;

    int3 p;
    if ((y & 1) == 0)
        p = (x & 1) == 0 ? (int3)(c, cross, diagonal) : (int3)(horizontal, c, vertical);
    else
        p = (x & 1) == 0 ? (int3)(vertical, c, horizontal) : (int3)(diagonal, cross, c);

    p = max(p - black, 0) << 4;
    vstore3(convert_ushort3_sat(p), y * w + x, rgb);
}
