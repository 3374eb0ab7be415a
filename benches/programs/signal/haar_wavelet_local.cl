// Multi-level Haar transform of rows of 512 ints by lifting: a work-group keeps a row in local memory, and fewer and
// fewer work-items are busy as levels go on.
//! kernel haar
//! global 262144
//! local 256
//! arg rows: buffer int 524288 random -2000 2000
//! arg coef: buffer int 524288 zero
//! arg levels: int 9

kernel void haar(global const int *rows, global int *coef, int levels)
{
    local int a[512];
    int lid = get_local_id(0);
    size_t base = get_group_id(0) * 512;
    a[lid] = rows[base + lid];
    a[lid + 256] = rows[base + lid + 256];
    int half_len = 256;

    for (int l = 0; l < levels; l++) {
        int avg = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < half_len) {
            int even = a[2 * lid], odd = a[2 * lid + 1];
            int diff = odd - even;
            avg = even + (diff >> 1);
            coef[base + half_len + lid] = diff;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < half_len)
            a[lid] = avg;
        half_len >>= 1;
    }
    if (lid == 0)
        coef[base] = a[0];
}
