// A filter chain on RGBA pictures in buffers: a Gaussian blur in two passes, then Sobel's edges.

// Five pixels in a line, weighted 1 4 6 4 1.
static uchar4 weighted(uchar4 a, uchar4 b, uchar4 c, uchar4 d, uchar4 e)
{
    int4 sum = convert_int4(a) + 4 * convert_int4(b) + 6 * convert_int4(c) + 4 * convert_int4(d) + convert_int4(e);
    return convert_uchar4((sum + 8) >> 4);
}

kernel void blur_rows(global uchar4 *restrict out, global const uchar4 *restrict in, int width, int height)
{
    int x = get_global_id(0);
    global const uchar4 *row = in + (int)get_global_id(1) * width;
    out[(int)get_global_id(1) * width + x] = weighted(
        row[max(x - 2, 0)], row[max(x - 1, 0)], row[x], row[min(x + 1, width - 1)], row[min(x + 2, width - 1)]);
}

kernel void blur_columns(global uchar4 *restrict out, global const uchar4 *restrict in, int width, int height)
{
    int x = get_global_id(0);
    int y = get_global_id(1);
    out[y * width + x] = weighted(
        in[max(y - 2, 0) * width + x], in[max(y - 1, 0) * width + x], in[y * width + x],
        in[min(y + 1, height - 1) * width + x], in[min(y + 2, height - 1) * width + x]);
}

static int luminance(global const uchar4 *in, int x, int y, int width, int height)
{
    uchar4 pixel = in[clamp(y, 0, height - 1) * width + clamp(x, 0, width - 1)];
    return (77 * pixel.x + 150 * pixel.y + 29 * pixel.z) >> 8;
}

kernel void sobel(global uchar4 *restrict out, global const uchar4 *restrict in, int width, int height)
{
    int x = get_global_id(0);
    int y = get_global_id(1);
    int around[3][3];
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column)
            around[row][column] = luminance(in, x + column - 1, y + row - 1, width, height);
    int across = around[0][2] + 2 * around[1][2] + around[2][2] - around[0][0] - 2 * around[1][0] - around[2][0];
    int down = around[2][0] + 2 * around[2][1] + around[2][2] - around[0][0] - 2 * around[0][1] - around[0][2];
    float strength = sqrt((float)(across * across + down * down));
    uchar value = (uchar)min(strength, 255.0f);
    out[y * width + x] = (uchar4)(value, value, value, 255);
}
