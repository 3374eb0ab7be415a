// Blurs the columns of a float image by seven binomial taps, four neighbouring columns to a work-item. The rows above
// the first and below the last repeat the edge.
//! kernel blur_columns
//! global 400 1200
//! arg in: buffer float 1920000 random 0 1
//! arg out: buffer float 1920000 zero
//! arg pitch: int 1600
//! arg rows: int 1200

kernel void blur_columns(global const float *restrict in, global float *restrict out, const int pitch, const int rows)
{
    const int x4 = get_global_id(0);
    const int y = get_global_id(1);
    const float taps[7] = {1.0f / 64, 6.0f / 64, 15.0f / 64, 20.0f / 64,
                           15.0f / 64, 6.0f / 64, 1.0f / 64};

    if (x4 * 4 >= pitch || y >= rows)
        return;

    float4 acc = (float4)(0.0f);
    for (int k = -3; k <= 3; ++k) {
        const int yy = min(max(y + k, 0), rows - 1);
        acc = mad(vload4(x4, in + yy * pitch), (float4)(taps[k + 3]), acc);
    }
    vstore4(acc, x4, out + y * pitch);
}
