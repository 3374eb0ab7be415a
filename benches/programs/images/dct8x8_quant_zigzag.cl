// Forward DCT of 8 x 8 blocks of bytes, division by a quantisation table and output in zigzag order. A row of
// work-items holds eight blocks, one column of a block each.
//! kernel jpeg_block
//! global 1024 64
//! local 64 1
//! arg img: buffer uchar 524288 random 0 255
//! arg coef: buffer short 524288 zero
//! arg quant: buffer int 64 random 8 60
//! arg w: int 1024

#pragma OPENCL FP_CONTRACT OFF

constant uchar zigzag[64] = {
     0,  1,  5,  6, 14, 15, 27, 28,  2,  4,  7, 13, 16, 26, 29, 42,
     3,  8, 12, 17, 25, 30, 41, 43,  9, 11, 18, 24, 31, 40, 44, 53,
    10, 19, 23, 32, 39, 45, 52, 54, 20, 22, 33, 38, 46, 51, 55, 60,
    21, 34, 37, 47, 50, 56, 59, 61, 35, 36, 48, 49, 57, 58, 62, 63
};

void dct8(float *v)
{
    float s07 = v[0] + v[7], d07 = v[0] - v[7], s16 = v[1] + v[6], d16 = v[1] - v[6];
    float s25 = v[2] + v[5], d25 = v[2] - v[5], s34 = v[3] + v[4], d34 = v[3] - v[4];
    float a = s07 + s34, b = s16 + s25, c = s07 - s34, d = s16 - s25;
    v[0] = (a + b) * 0.35355339f;
    v[4] = (a - b) * 0.35355339f;
    v[2] = c * 0.46193977f + d * 0.19134172f;
    v[6] = c * 0.19134172f - d * 0.46193977f;
    v[1] = d07 * 0.49039264f + d16 * 0.41573481f + d25 * 0.27778512f + d34 * 0.09754516f;
    v[3] = d07 * 0.41573481f - d16 * 0.09754516f - d25 * 0.49039264f - d34 * 0.27778512f;
    v[5] = d07 * 0.27778512f - d16 * 0.49039264f + d25 * 0.09754516f + d34 * 0.41573481f;
    v[7] = d07 * 0.09754516f - d16 * 0.27778512f + d25 * 0.41573481f - d34 * 0.49039264f;
}

kernel void jpeg_block(global const uchar *img, global short *coef, global const int *quant, int w)
{
    local float tile[8][64 + 1];
    int lx = get_local_id(0), c = lx & 7, first = lx & ~7;
    global const uchar *src = img + get_global_id(1) * 8 * w + get_global_id(0);
    float v[8];

    for (int i = 0; i < 8; i++)
        v[i] = src[i * w] - 128.0f;
    dct8(v);
    for (int i = 0; i < 8; i++)
        tile[i][lx] = v[i];
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int i = 0; i < 8; i++)
        v[i] = tile[c][first + i];
    dct8(v);
    global short *out = coef + (get_global_id(1) * (w / 8) + get_global_id(0) / 8) * 64;
    for (int i = 0; i < 8; i++)
        out[zigzag[c * 8 + i]] = (short)rint(v[i] / (float)quant[c * 8 + i]);
}
