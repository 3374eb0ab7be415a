// Softmax of the rows of a matrix of floats, a work-group to a row, with reductions of the maximum and the sum in local
// memory. The rows' length is no multiple of the group.
//! kernel softmax_rows
//! global 128 1500
//! local 128 1
//! arg x: buffer float 1504500 random -6 6
//! arg y: buffer float 1504500 zero
//! arg n: int 1003

#define WG 128

kernel void softmax_rows(global const float *x, global float *y, int n)
{
    local float red[WG];
    const int lid = get_local_id(0);
    x += get_global_id(1) * n;
    y += get_global_id(1) * n;

    float m = -INFINITY;
    for (int i = lid; i < n; i += WG)
        m = fmax(m, x[i]);
    red[lid] = m;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = WG / 2; s > 0; s >>= 1) {
        if (lid < s)
            red[lid] = fmax(red[lid], red[lid + s]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    m = red[0];
    barrier(CLK_LOCAL_MEM_FENCE);

    float sum = 0.0f;
    for (int i = lid; i < n; i += WG)
        sum += exp(x[i] - m);
    red[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = WG / 2; s > 0; s >>= 1) {
        if (lid < s)
            red[lid] += red[lid + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const float scale = 1.0f / red[0];
    for (int i = lid; i < n; i += WG)
        y[i] = exp(x[i] - m) * scale;
}
