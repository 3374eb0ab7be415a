// Turns planar 4:4:4 into 4:2:0: luma is copied, chroma is the mean of 2 x 2 samples in floats with the BT.709 limited
// range applied before rounding.
//! kernel yuv444_to_420
//! global 1024 512
//! arg yuv: buffer uchar 6291456 random 0 255
//! arg luma: buffer uchar 2097152 zero
//! arg chroma: buffer uchar 1048576 zero
//! arg w: uint 2048
//! arg h: uint 1024

#pragma OPENCL FP_CONTRACT OFF

uchar shrink(global const uchar *plane, uint w)
{
    float s = (plane[0] + plane[1] + plane[w] + plane[w + 1]) * 0.25f - 128.0f;
    return convert_uchar_sat_rte(s * (224.0f / 256.0f) + 128.0f);
}

kernel void yuv444_to_420(global const uchar *yuv, global uchar *luma, global uchar *chroma, uint w, uint h)
{
    uint x = get_global_id(0) << 1, y = get_global_id(1) << 1;
    uint o = y * w + x;

    float4 l = (float4)(yuv[o], yuv[o + 1], yuv[o + w], yuv[o + w + 1]);
    uchar4 q = convert_uchar4_sat_rte(l * (220.0f / 256.0f) + 16.0f);
    luma[o] = q.x;
    luma[o + 1] = q.y;
    luma[o + w] = q.z;
    luma[o + w + 1] = q.w;

    uint c = get_global_id(1) * (w >> 1) + get_global_id(0);
    chroma[c] = shrink(yuv + w * h + o, w);
    chroma[(w * h >> 2) + c] = shrink(yuv + 2 * w * h + o, w);
}
