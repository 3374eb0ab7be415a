// Converts packed RGB bytes to HSV floats, a strip of four rows to a work-item, with the hue in degrees.
//! kernel rgb2hsv
//! global 800 150
//! arg src: buffer uchar 1440000 random 0 255
//! arg dst: buffer float 1440000 zero
//! arg cols: int 800
//! arg rows: int 598

#define PIX_PER_WI_Y 4

kernel void rgb2hsv(global const uchar *src, global float *dst, int cols, int rows)
{
    int x = get_global_id(0);
    int y = get_global_id(1) * PIX_PER_WI_Y;

    if (x < cols) {
        for (int cy = 0; cy < PIX_PER_WI_Y; ++cy, ++y) {
            if (y < rows) {
                uchar3 p = vload3(y * cols + x, src);
                float r = p.x * (1.0f / 255.0f), g = p.y * (1.0f / 255.0f);
                float b = p.z * (1.0f / 255.0f);
                float v = fmax(r, fmax(g, b));
                float vmin = fmin(r, fmin(g, b));
                float diff = v - vmin;
                float s = diff / (fabs(v) + FLT_EPSILON);
                float h;
                diff = 60.0f / (diff + FLT_EPSILON);
                if (v == r)
                    h = (g - b) * diff;
                else if (v == g)
                    h = fma(b - r, diff, 120.0f);
                else
                    h = fma(r - g, diff, 240.0f);
                if (h < 0.0f)
                    h += 360.0f;
                vstore3((float3)(h, s, v), y * cols + x, dst);
            }
        }
    }
}
