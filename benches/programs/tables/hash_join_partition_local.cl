// Join of one radix partition per group: the small side goes into an open-addressing table in local memory with
// compare-and-swap, the large side probes it.
//! kernel join
//! global 16384
//! local 128
//! arg small: buffer uint 32768 random 1 2000
//! arg large: buffer uint 262144 random 1 2000
//! arg per_item: buffer uint 16384 zero
//! arg distinct: buffer uint 128 zero

#define SLOTS 1024
#define SMALL 256
#define LARGE 2048

kernel void join(global const uint *small, global const uint *large, global uint *per_item, global uint *distinct)
{
    local uint keys[SLOTS], weight[SLOTS];
    local uint used;
    const uint lid = get_local_id(0), group = get_group_id(0);
    for (uint i = lid; i < SLOTS; i += 128) {
        keys[i] = 0;
        weight[i] = 0;
    }
    if (lid == 0)
        used = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = lid; i < SMALL; i += 128) {
        const uint k = small[group * SMALL + i];
        uint h = (k * 0x9e3779b1u) >> 22;
        for (;;) {
            const uint was = atomic_cmpxchg(&keys[h], 0u, k);
            if (was == 0)
                atomic_inc(&used);
            if (was == 0 || was == k)
                break;
            h = (h + 1) & (SLOTS - 1);
        }
        atomic_add(&weight[h], k & 7);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 0;
    for (uint i = lid; i < LARGE; i += 128) {
        const uint k = large[group * LARGE + i];
        uint h = (k * 0x9e3779b1u) >> 22;
        while (keys[h] != 0 && keys[h] != k)
            h = (h + 1) & (SLOTS - 1);
        if (keys[h] == k)
            sum += weight[h];
    }
    per_item[get_global_id(0)] = sum;
    if (lid == 0)
        distinct[group] = used;
}
