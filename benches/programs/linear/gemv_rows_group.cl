// Matrix-vector product with a work-group of 64 to a row: strided sums of float4, then a tree in local memory; the last
// columns are handled by the first work-items.
//! kernel gemv
//! global 64 4000
//! local 64 1
//! arg a: buffer float 4108000 random -1 1
//! arg x: buffer float 1027 random -1 1
//! arg y: buffer float 4000 zero
//! arg n: int 1027

kernel void gemv(global const float *a, global const float *x, global float *y, int n)
{
    local float part[64];
    int lid = get_local_id(0);
    int row = get_group_id(1);
    a += row * n;

    float4 sum4 = (float4)(0.0f);
    for (int i = lid; i < n / 4; i += 64)
        sum4 += vload4(i, a) * vload4(i, x);
    float sum = dot(sum4, (float4)(1.0f));
    int tail = (n & ~3) + lid;
    if (tail < n)
        sum += a[tail] * x[tail];

    part[lid] = sum;
    for (int s = 32; s > 0; s >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < s)
            part[lid] += part[lid + s];
    }
    if (lid == 0)
        y[row] = part[0];
}
