// Sparse matrix times vector in ELLPACK format: entries of a row lie a column of the table apart, and a negative index
// pads short rows.
//! kernel spmv_ell
//! global 32768
//! arg cols: buffer int 786432 random -6000 32767
//! arg vals: buffer double 786432 random -1 1
//! arg x: buffer double 32768 random -1 1
//! arg y: buffer double 32768 zero
//! arg width: int 24

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void spmv_ell(global const int *cols, global const double *vals, global const double *x, global double *y,
                     int width)
{
    const int row = get_global_id(0);
    const int rows = get_global_size(0);
    double sum = 0.0;

    for (int j = 0; j < width; j++) {
        const int col = cols[j * rows + row];
        if (col >= 0)
            sum = fma(vals[j * rows + row], x[col], sum);
    }
    y[row] = sum;
}
