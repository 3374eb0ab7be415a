// One step of Lucas and Kanade for dense optical flow: sums the products of derivatives over a window of 5 x 5 pixels
// and solves the two equations of every pixel.
//! kernel lucas_kanade
//! global 320 240
//! local 16 8
//! arg a: buffer float 76800 random 0 1
//! arg b: buffer float 76800 random 0 1
//! arg flow: buffer float 153600 zero
//! arg w: int 320
//! arg h: int 240
//! tolerance 1e-4

#define AT(p, x, y) p[clamp((y), 0, h - 1) * w + clamp((x), 0, w - 1)]

kernel void lucas_kanade(global const float *a, global const float *b, global float2 *flow, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);
    float xx = 0, xy = 0, yy = 0, xt = 0, yt = 0;

    for (int j = y - 2; j <= y + 2; j++) {
        for (int i = x - 2; i <= x + 2; i++) {
            float ix = 0.5f * (AT(a, i + 1, j) - AT(a, i - 1, j));
            float iy = 0.5f * (AT(a, i, j + 1) - AT(a, i, j - 1));
            float it = AT(b, i, j) - AT(a, i, j);
            xx += ix * ix;
            xy += ix * iy;
            yy += iy * iy;
            xt += ix * it;
            yt += iy * it;
        }
    }
    xx += 0.1f;
    yy += 0.1f;
    float det = xx * yy - xy * xy;
    flow[y * w + x] = (float2)(xy * yt - yy * xt, xy * xt - xx * yt) / det;
}
