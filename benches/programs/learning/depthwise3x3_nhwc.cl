// Depthwise 3 x 3 convolution of NHWC floats with bias and ReLU6, four channels to a work-item.
//! kernel depthwise
//! global 48 112 112
//! arg in: buffer float 2408448 random -1 1
//! arg filter: buffer float 1728 random -0.5 0.5
//! arg bias: buffer float 192 random 0 1
//! arg out: buffer float 2408448 zero
//! arg h: int 112
//! arg w: int 112

kernel void depthwise(global const float4 *restrict in, global const float4 *filter, global const float4 *bias,
                      global float4 *out, int h, int w)
{
    const int c = get_global_id(0), x = get_global_id(1), y = get_global_id(2);
    const int c4 = get_global_size(0);
    float4 sum = bias[c];

    for (int ky = 0; ky < 3; ky++) {
        const int iy = y + ky - 1;
        if (iy < 0 || iy >= h)
            continue;
        for (int kx = 0; kx < 3; kx++) {
            const int ix = x + kx - 1;
            if (ix < 0 || ix >= w)
                continue;
            sum = mad(in[(iy * w + ix) * c4 + c], filter[(ky * 3 + kx) * c4 + c], sum);
        }
    }
    out[(y * w + x) * c4 + c] = clamp(sum, 0.0f, 6.0f);
}
