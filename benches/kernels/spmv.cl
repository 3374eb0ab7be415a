// Product of a sparse matrix (compressed rows) and a vector, a row per work-item.
kernel void spmv(global float *restrict out, global const uint *restrict starts, global const uint *restrict columns,
                 global const float *restrict values, global const float *restrict vector)
{
    size_t row = get_global_id(0);
    float sum = 0.0f;
    for (uint i = starts[row]; i < starts[row + 1]; ++i)
        sum += values[i] * vector[columns[i]];
    out[row] = sum;
}
