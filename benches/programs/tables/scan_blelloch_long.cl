// Exclusive prefix sums of longs in tiles of 512 by Blelloch's up and down sweep with padded local memory.
//! kernel scan
//! global 131072
//! local 256
//! arg in: buffer int 262144 random -100000 100000
//! arg out: buffer long 262144 zero
//! arg sums: buffer long 512 zero
//! arg tmp: local 4352

#define PAD(i) ((i) + ((i) >> 4))

kernel void scan(global const int *in, global long *out, global long *sums, local long *tmp)
{
    const int lid = get_local_id(0), n = 512;
    const size_t base = get_group_id(0) * n;
    tmp[PAD(2 * lid)] = in[base + 2 * lid];
    tmp[PAD(2 * lid + 1)] = in[base + 2 * lid + 1];
    int offset = 1;
    for (int d = n >> 1; d > 0; d >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < d) {
            const int a = offset * (2 * lid + 1) - 1, b = offset * (2 * lid + 2) - 1;
            tmp[PAD(b)] += tmp[PAD(a)];
        }
        offset <<= 1;
    }
    if (lid == 0) {
        sums[get_group_id(0)] = tmp[PAD(n - 1)];
        tmp[PAD(n - 1)] = 0;
    }
    for (int d = 1; d < n; d <<= 1) {
        offset >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < d) {
            const int a = offset * (2 * lid + 1) - 1, b = offset * (2 * lid + 2) - 1;
            const long t = tmp[PAD(a)];
            tmp[PAD(a)] = tmp[PAD(b)];
            tmp[PAD(b)] += t;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[base + 2 * lid] = tmp[PAD(2 * lid)];
    out[base + 2 * lid + 1] = tmp[PAD(2 * lid + 1)];
}
