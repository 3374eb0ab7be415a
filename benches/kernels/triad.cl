// Stream triad: memory bandwidth.
kernel void triad(global float *restrict a, global const float *restrict b, global const float *restrict c, float scale)
{
    size_t i = get_global_id(0);
    a[i] = b[i] + scale * c[i];
}
