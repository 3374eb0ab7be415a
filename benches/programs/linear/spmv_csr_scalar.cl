// Sparse matrix times vector in CSR format, one work-item to a row. The rows have between none and 40 entries, made
// from random numbers beforehand.
//! kernel spmv_csr
//! global 30016
//! arg len: buffer int 30000 random 0 40
//! arg rowptr: buffer int 30001 zero
//! arg cols: buffer int 1200000 random 0 29999
//! arg vals: buffer float 1200000 random -1 1
//! arg x: buffer float 30000 random -1 1
//! arg y: buffer float 30000 zero
//! arg n: int 30000
//! prepare 1: len rowptr n

kernel void prepare(global const int *len, global int *rowptr, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        rowptr[i] = sum;
        sum += i % 500 == 3 ? 40 : len[i] * len[i] / 64;
    }
    rowptr[n] = sum;
}

kernel void spmv_csr(global const int *len, global const int *rowptr, global const int *cols, global const float *vals,
                     global const float *x, global float *y, int n)
{
    int row = get_global_id(0);
    if (row < n) {
        float sum = 0.0f;
        int end = rowptr[row + 1];
        for (int i = rowptr[row]; i < end; i++)
            sum += vals[i] * x[cols[i]];
        y[row] = sum;
    }
}
