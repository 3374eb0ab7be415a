// Erodes an image of packed three-byte pixels by a structuring element given as a list of offsets; neighbours outside
// the image are skipped.
//! kernel erode8uc3
//! global 640 480
//! arg src: buffer uchar 921600 random 40 255
//! arg dst: buffer uchar 921600 zero
//! arg element: buffer char 26 random -3 3
//! arg points: int 13
//! arg cols: int 640
//! arg rows: int 480
//! arg step: int 1920

kernel void erode8uc3(global const uchar *src, global uchar *dst, global const char *element, int points, int cols,
                      int rows, int step)
{
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    if (x >= cols || y >= rows)
        return;

    uchar3 res = vload3(x, src + mul24(y, step));
    for (int i = 0; i < points; ++i) {
        char2 off = vload2(i, element);
        int xx = x + off.x;
        int yy = y + off.y;
        if (xx < 0 || yy < 0 || xx >= cols || yy >= rows)
            continue;
        res = min(res, vload3(xx, src + mad24(yy, step, 0)));
    }
    vstore3(res, x, dst + y * step);
}
