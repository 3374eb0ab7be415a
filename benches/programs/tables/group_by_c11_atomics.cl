// Aggregates by a hash of two key columns with C11 atomics on local memory: count, bit set of days and largest price.
//! kernel aggregate
//! global 16384
//! local 128
//! arg store: buffer uchar 1048576 random 0 31
//! arg day: buffer uchar 1048576 random 0 6
//! arg price: buffer ushort 1048576 random 1 60000
//! arg out: buffer uint 24576 zero
//! arg per_item: int 64
//! options -cl-std=CL3.0

kernel void aggregate(global const uchar *store, global const uchar *day, global const ushort *price, global uint *out,
                      int per_item)
{
    local atomic_uint count[64], days[64], top[64];
    const uint lid = get_local_id(0), group = get_group_id(0), size = get_local_size(0);
    if (lid < 64) {
        atomic_init(&count[lid], 0);
        atomic_init(&days[lid], 0);
        atomic_init(&top[lid], 0);
    }
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < per_item; i++) {
        const uint row = (group * per_item + i) * size + lid;
        const uint slot = (store[row] * 5 + (day[row] > 4)) & 63;
        atomic_fetch_add_explicit(&count[slot], 1u, memory_order_relaxed, memory_scope_work_group);
        atomic_fetch_or_explicit(&days[slot], 1u << day[row], memory_order_relaxed, memory_scope_work_group);
        atomic_fetch_max_explicit(&top[slot], (uint)price[row], memory_order_relaxed, memory_scope_work_group);
    }
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < 64) {
        out[(group * 3 + 0) * 64 + lid] =
            atomic_load_explicit(&count[lid], memory_order_relaxed, memory_scope_work_group);
        out[(group * 3 + 1) * 64 + lid] =
            atomic_load_explicit(&days[lid], memory_order_relaxed, memory_scope_work_group);
        out[(group * 3 + 2) * 64 + lid] =
            atomic_load_explicit(&top[lid], memory_order_relaxed, memory_scope_work_group);
    }
}
