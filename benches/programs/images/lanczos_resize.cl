// Resizes a float image by Lanczos with three lobes. The weights of a pixel are worked out in two private arrays before
// the 6 x 6 neighbours are summed.
//! kernel lanczos3
//! global 352 272
//! arg src: buffer float 196608 random 0 255
//! arg dst: buffer float 94500 zero
//! arg sw: int 512
//! arg sh: int 384
//! arg dw: int 350
//! arg dh: int 270
//! tolerance 1e-4

float lanczos(float x)
{
    x = fabs(x);
    if (x < 1e-4f)
        return 1.0f;
    if (x >= 3.0f)
        return 0.0f;
    float px = M_PI_F * x;
    return 3.0f * sin(px) * sin(px / 3.0f) / (px * px);
}

float make_weights(float centre, int first, float *weight)
{
    float sum = 0.0f;
    for (int i = 0; i < 6; i++) {
        weight[i] = lanczos(centre - (float)(first + i));
        sum += weight[i];
    }
    return 1.0f / sum;
}

kernel void lanczos3(global const float *src, global float *dst, int sw, int sh, int dw, int dh)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= dw || y >= dh)
        return;
    float cx = (x + 0.5f) * sw / dw - 0.5f, cy = (y + 0.5f) * sh / dh - 0.5f;
    int fx = (int)floor(cx) - 2, fy = (int)floor(cy) - 2;
    float wx[6], wy[6];
    float norm = make_weights(cx, fx, wx) * make_weights(cy, fy, wy);

    float sum = 0.0f;
    for (int j = 0; j < 6; j++) {
        global const float *row = src + clamp(fy + j, 0, sh - 1) * sw;
        float line = 0.0f;
        for (int i = 0; i < 6; i++)
            line += wx[i] * row[clamp(fx + i, 0, sw - 1)];
        sum += wy[j] * line;
    }
    dst[y * dw + x] = sum * norm;
}
