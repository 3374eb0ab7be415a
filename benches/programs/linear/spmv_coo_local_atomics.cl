// Sparse matrix times vector from coordinates sorted by bands of 256 rows: each group adds the products of its band in
// ints with atomics in local memory.
//! kernel spmv_coo
//! global 16384
//! local 256
//! arg rows: buffer uchar 524288 random 0 255
//! arg cols: buffer ushort 524288 random 0 16383
//! arg vals: buffer short 524288 random -300 300
//! arg x: buffer short 16384 random -300 300
//! arg y: buffer int 16384 zero
//! arg per_band: int 8192

kernel void spmv_coo(global const uchar *rows, global const ushort *cols, global const short *vals,
                     global const short *x, global int *y, int per_band)
{
    local int sum[256];
    const int lid = get_local_id(0);
    const int first = get_group_id(0) * per_band;

    sum[lid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = first + lid; i < first + per_band; i += get_local_size(0))
        atomic_add(&sum[rows[i]], (int)vals[i] * x[cols[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    y[get_global_id(0)] = sum[lid];
}
