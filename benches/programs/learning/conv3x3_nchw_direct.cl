// Direct 3 x 3 convolution of NCHW floats with sixteen input channels. Work-items make one pixel of one output channel;
// the filters are copied to local memory first.
//! kernel conv3x3
//! global 64 64 16
//! local 16 8 1
//! arg in: buffer float 65536 random -1 1
//! arg filters: buffer float 2304 random -0.3 0.3
//! arg bias: buffer float 16 random -0.5 0.5
//! arg out: buffer float 65536 zero
//! arg channels: int 16
//! arg weights: local 576

kernel void conv3x3(global const float *in, global const float *filters, constant float *bias, global float *out,
                    int channels, local float *weights)
{
    const int x = get_global_id(0), y = get_global_id(1), k = get_global_id(2);
    const int w = get_global_size(0), h = get_global_size(1);
    const int lid = get_local_id(1) * get_local_size(0) + get_local_id(0);

    for (int i = lid; i < channels * 9; i += get_local_size(0) * get_local_size(1))
        weights[i] = filters[k * channels * 9 + i];
    barrier(CLK_LOCAL_MEM_FENCE);

    float acc = bias[k];
    for (int c = 0; c < channels; c++) {
        local const float *f = weights + c * 9;
        for (int dy = -1; dy <= 1; dy++) {
            for (int dx = -1; dx <= 1; dx++, f++) {
                if (x + dx >= 0 && x + dx < w && y + dy >= 0 && y + dy < h)
                    acc += in[(c * h + y + dy) * w + x + dx] * *f;
            }
        }
    }
    out[(k * h + y) * w + x] = acc > 0.0f ? acc : 0.1f * acc;
}
