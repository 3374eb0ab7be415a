// Iterations until the orbit leaves the circle of radius 2.
kernel void mandelbrot(global uint *restrict iterations, float left, float top, float step, uint limit)
{
    size_t x = get_global_id(0);
    size_t y = get_global_id(1);
    float cx = left + step * (float)x;
    float cy = top + step * (float)y;
    float zx = 0.0f, zy = 0.0f;
    uint count = 0;
    while (count < limit) {
        float xx = zx * zx;
        float yy = zy * zy;
        if (xx + yy > 4.0f)
            break;
        zy = 2.0f * zx * zy + cy;
        zx = xx - yy + cx;
        ++count;
    }
    iterations[y * get_global_size(0) + x] = count;
}
