// Lower triangle of A A^T with blocks of 16 x 16: groups above the diagonal leave at once, and work-items above it
// write zero.
//! kernel syrk
//! global 256 256
//! local 16 16
//! arg a: buffer float 40960 random -1 1
//! arg c: buffer float 65536 zero
//! arg k: int 160

#define B 16

kernel void syrk(global const float *a, global float *c, int k)
{
    local float x[B][B + 1], y[B][B + 1];
    const int lx = get_local_id(0), ly = get_local_id(1);
    const int gx = get_group_id(0), gy = get_group_id(1);
    if (gx > gy)
        return;

    float sum = 0.0f;
    for (int t = 0; t < k; t += B) {
        y[ly][lx] = a[(gy * B + ly) * k + t + lx];
        x[ly][lx] = a[(gx * B + ly) * k + t + lx];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < B; i++)
            sum += y[ly][i] * x[lx][i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const int row = get_global_id(1), col = get_global_id(0);
    c[row * get_global_size(0) + col] = col <= row ? sum : 0.0f;
}
