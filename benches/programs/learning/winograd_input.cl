// Transforms the input of a Winograd convolution F(2x2, 3x3): 4 x 4 tiles that overlap by two pixels, B^T d B,
// scattered to sixteen planes.
//! kernel winograd_input
//! global 28 28 96
//! arg in: buffer float 301056 random -1 1
//! arg out: buffer float 1204224 zero
//! arg size: int 56

kernel void winograd_input(global const float *in, global float *out, int size)
{
    const int tx = get_global_id(0), ty = get_global_id(1), c = get_global_id(2);
    float d[4][4], t[4][4];

    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            int y = ty * 2 + i - 1, x = tx * 2 + j - 1;
            bool inside = (uint)y < (uint)size && (uint)x < (uint)size;
            d[i][j] = inside ? in[(c * size + y) * size + x] : 0.0f;
        }
    }
    for (int j = 0; j < 4; j++) {
        t[0][j] = d[0][j] - d[2][j];
        t[1][j] = d[1][j] + d[2][j];
        t[2][j] = d[2][j] - d[1][j];
        t[3][j] = d[1][j] - d[3][j];
    }
    int tiles = get_global_size(0) * get_global_size(1);
    int plane = tiles * get_global_size(2);
    global float *o = out + c * tiles + ty * get_global_size(0) + tx;
    for (int i = 0; i < 4; i++) {
        o[(i * 4 + 0) * plane] = t[i][0] - t[i][2];
        o[(i * 4 + 1) * plane] = t[i][1] + t[i][2];
        o[(i * 4 + 2) * plane] = t[i][2] - t[i][1];
        o[(i * 4 + 3) * plane] = t[i][1] - t[i][3];
    }
}
