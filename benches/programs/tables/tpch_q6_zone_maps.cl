// TPC-H query 6 with zone maps: a group looks at the least and greatest date of its block first and leaves when none
// can pass; otherwise it sums price times discount.
//! kernel q6
//! global 131072
//! local 128
//! arg shipdate: buffer ushort 2097152 zero
//! arg noise: buffer uchar 2097152 random 0 255
//! arg price: buffer int 2097152 random 90000 10500000
//! arg discount: buffer uchar 2097152 random 0 10
//! arg quantity: buffer uchar 2097152 random 1 50
//! arg zone_low: buffer ushort 1024 zero
//! arg zone_high: buffer ushort 1024 zero
//! arg revenue: buffer long 1024 zero
//! arg from: ushort 8766
//! arg to: ushort 9861
//! prepare 1024: shipdate noise zone_low zone_high

#define BLOCK 2048

kernel void prepare(global ushort *shipdate, global const uchar *noise, global ushort *zone_low,
                    global ushort *zone_high)
{
    const uint z = get_global_id(0);
    ushort low = 65535, high = 0;
    for (uint i = z * BLOCK; i < (z + 1) * BLOCK; i++) {
        const ushort d = 8000 + z * 2 + noise[i] / 2;
        shipdate[i] = d;
        low = min(low, d);
        high = max(high, d);
    }
    zone_low[z] = low;
    zone_high[z] = high;
}

kernel void q6(global const ushort *shipdate, global const uchar *noise, global const int *price,
               global const uchar *discount, global const uchar *quantity, global const ushort *zone_low,
               global const ushort *zone_high, global long *revenue, ushort from, ushort to)
{
    local long sums[128];
    const uint z = get_group_id(0), lid = get_local_id(0);
    if (zone_high[z] < from || zone_low[z] >= to) {
        if (lid == 0)
            revenue[z] = -1;
        return;
    }
    long sum = 0;
    for (uint i = z * BLOCK + lid; i < (z + 1) * BLOCK; i += 128) {
        const ushort d = shipdate[i];
        if (d >= from && d < to && discount[i] >= 5 && discount[i] <= 7 && quantity[i] < 24)
            sum += (long)price[i] * discount[i];
    }
    sums[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = 64; d > 0; d >>= 1) {
        if (lid < d)
            sums[lid] += sums[lid + d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0)
        revenue[z] = sums[0];
}
