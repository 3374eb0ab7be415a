// Error diffusion along each row to four grey levels: a work-item owns a row, carries the error from pixel to pixel and
// packs four two-bit results to a byte.
//! kernel dither_rows
//! global 960
//! arg grey: buffer uchar 1228800 random 0 255
//! arg packed: buffer uchar 307200 zero
//! arg width: int 1280

kernel void dither_rows(global const uchar *grey, global uchar *packed, int width)
{
    int row = get_global_id(0);
    global const uchar *in = grey + row * width;
    global uchar *out = packed + row * (width / 4);
    int error = 0, older = 0;

    for (int x = 0; x < width; x += 4) {
        uchar byte = 0;
        for (int k = 0; k < 4; k++) {
            int want = in[x + k] + (error * 10 + older * 6) / 16;
            int level = clamp((want + 42) / 85, 0, 3);
            older = error;
            error = want - level * 85;
            byte |= level << (6 - 2 * k);
        }
        out[x / 4] = byte;
    }
}
