// Converts an NV12 frame to RGBA with the integer BT.601 coefficients; each work-item handles the four luma samples
// that share one pair of chroma samples.
//! kernel nv12_to_rgba
//! global 960 540
//! arg nv12: buffer uchar 3110400 random 0 255
//! arg rgba: buffer uchar 8294400 zero
//! arg width: int 1920
//! arg height: int 1080
//! arg alpha: uchar 255

static uchar4 convert_pixel(int y, int ruv, int guv, int buv, uchar alpha)
{
    y = max(0, y - 16) * 1220542;
    return (uchar4)(convert_uchar_sat((y + ruv) >> 20),
                    convert_uchar_sat((y + guv) >> 20),
                    convert_uchar_sat((y + buv) >> 20), alpha);
}

kernel void nv12_to_rgba(global const uchar *nv12, global uchar4 *rgba, int width, int height, uchar alpha)
{
    const int x = get_global_id(0) * 2;
    const int y = get_global_id(1) * 2;
    if (x >= width || y >= height)
        return;

    global const uchar *luma = nv12 + y * width + x;
    global const uchar *chroma = nv12 + width * height + (y >> 1) * width + x;
    int u = chroma[0] - 128;
    int v = chroma[1] - 128;
    int ruv = (1 << 19) + 1673527 * v;
    int guv = (1 << 19) - 852492 * v - 409993 * u;
    int buv = (1 << 19) + 2116026 * u;

    global uchar4 *out = rgba + y * width + x;
    out[0] = convert_pixel(luma[0], ruv, guv, buv, alpha);
    out[1] = convert_pixel(luma[1], ruv, guv, buv, alpha);
    out[width] = convert_pixel(luma[width], ruv, guv, buv, alpha);
    out[width + 1] = convert_pixel(luma[width + 1], ruv, guv, buv, alpha);
}
