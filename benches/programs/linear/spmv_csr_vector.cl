// Sparse matrix times vector in CSR format with sixteen work-items to a row, which add up their sums in local memory by
// halving.
//! kernel spmv_vector
//! global 80000
//! local 64
//! arg len: buffer uchar 5000 random 1 200
//! arg rowptr: buffer int 5001 zero
//! arg cols: buffer ushort 1000000 random 0 4999
//! arg vals: buffer float 1000000 random -1 1
//! arg x: buffer float 5000 random -1 1
//! arg y: buffer float 5000 zero
//! arg n: int 5000
//! prepare 1: len rowptr n

#define LANES 16

kernel void prepare(global const uchar *len, global int *rowptr, int n)
{
    rowptr[0] = 0;
    for (int i = 0; i < n; i++)
        rowptr[i + 1] = rowptr[i] + len[i];
}

kernel void spmv_vector(global const uchar *len, global const int *rowptr, global const ushort *cols,
                        global const float *vals, global const float *x, global float *y, int n)
{
    local float part[64];
    const int lid = get_local_id(0);
    const int lane = lid % LANES;
    const int row = get_global_id(0) / LANES;
    float sum = 0.0f;

    if (row < n)
        for (int i = rowptr[row] + lane; i < rowptr[row + 1]; i += LANES)
            sum += vals[i] * x[cols[i]];
    part[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int s = LANES / 2; s > 0; s /= 2) {
        if (lane < s)
            part[lid] += part[lid + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane == 0 && row < n)
        y[row] = part[lid];
}
