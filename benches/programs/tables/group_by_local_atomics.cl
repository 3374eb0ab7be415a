// GROUP BY a byte column with sum, count, minimum and maximum of a short column by local atomics; one partial result
// per work-group.
//! kernel group_by
//! global 16384
//! local 128
//! arg keys: buffer uchar 1048576 random 0 255
//! arg values: buffer short 1048576 random -30000 30000
//! arg partial: buffer int 131072 zero
//! arg rows: int 1048500

typedef struct {
    int sum[256];
    int count[256];
    int low[256];
    int high[256];
} groups;

kernel void group_by(global const uchar *keys, global const short *values, global int *partial, int rows)
{
    local groups g;
    const int lid = get_local_id(0);
    for (int i = lid; i < 256; i += get_local_size(0)) {
        g.sum[i] = 0;
        g.count[i] = 0;
        g.low[i] = INT_MAX;
        g.high[i] = INT_MIN;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < rows; i += get_global_size(0)) {
        const uchar k = keys[i];
        const int v = values[i];
        atomic_add(&g.sum[k], v);
        atomic_inc(&g.count[k]);
        if (v < g.low[k])
            atomic_min(&g.low[k], v);
        if (v > g.high[k])
            atomic_max(&g.high[k], v);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = lid; i < 256; i += get_local_size(0))
        vstore4((int4)(g.sum[i], g.count[i], g.low[i], g.high[i]), get_group_id(0) * 256 + i, partial);
}
