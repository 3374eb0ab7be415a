// TPC-H query 1 in integers: rows up to a date are summed by return flag and line status into eight groups, first
// privately, then by a tree in local memory, with one result per work-group.
//! kernel q1
//! global 8192
//! local 64
//! arg shipdate: buffer ushort 524288 random 8000 10600
//! arg flag: buffer uchar 524288 random 0 2
//! arg status: buffer uchar 524288 random 0 1
//! arg quantity: buffer uchar 524288 random 1 50
//! arg price: buffer int 524288 random 90000 10500000
//! arg discount: buffer uchar 524288 random 0 10
//! arg tax: buffer uchar 524288 random 0 8
//! arg result: buffer long 5120 zero
//! arg rows: int 524288
//! arg cutoff: ushort 10471

typedef struct {
    long qty, base, disc, charge;
    int count;
} totals;

kernel void q1(global const ushort *shipdate, global const uchar *flag, global const uchar *status,
               global const uchar *quantity, global const int *price, global const uchar *discount,
               global const uchar *tax, global long *result, int rows, ushort cutoff)
{
    local totals shared_totals[64];
    const int lid = get_local_id(0), gid = get_global_id(0), stride = get_global_size(0);
    totals t[8];
    for (int g = 0; g < 8; g++)
        t[g] = (totals){0, 0, 0, 0, 0};
    for (int i = gid; i < rows; i += stride) {
        if (shipdate[i] > cutoff)
            continue;
        totals *x = &t[flag[i] * 2 + status[i]];
        const long dp = (long)price[i] * (100 - discount[i]);
        x->qty += quantity[i];
        x->base += price[i];
        x->disc += dp;
        x->charge += dp * (100 + tax[i]);
        x->count++;
    }
    for (int g = 0; g < 8; g++) {
        shared_totals[lid] = t[g];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int d = 32; d > 0; d >>= 1) {
            if (lid < d) {
                local totals *a = &shared_totals[lid], *b = &shared_totals[lid + d];
                a->qty += b->qty;
                a->base += b->base;
                a->disc += b->disc;
                a->charge += b->charge;
                a->count += b->count;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (lid == 0) {
            global long *r = result + (get_group_id(0) * 8 + g) * 5;
            r[0] = shared_totals[0].qty;
            r[1] = shared_totals[0].base;
            r[2] = shared_totals[0].disc;
            r[3] = shared_totals[0].charge;
            r[4] = shared_totals[0].count;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
