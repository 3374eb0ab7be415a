// Lookups in a cuckoo hash table with two choices and buckets of four slots, read as vectors; `prepare` inserts with
// evictions.
//! kernel lookup
//! global 1048576
//! arg keys: buffer uint 12000 random 1 4294967295
//! arg slots: buffer uint 16384 zero
//! arg queries: buffer uint 1048576 random 1 4294967295
//! arg where: buffer short 1048576 zero
//! arg n: uint 12000
//! prepare 1: keys slots

static uint h1(uint k) { return (k * 0x9e3779b1u) >> 20; }
static uint h2(uint k) { return ((k ^ (k >> 15)) * 0x85ebca77u) >> 20; }

kernel void prepare(global const uint *keys, global uint *slots)
{
    for (uint i = 0; i < 12000; i++) {
        uint k = keys[i], b = h1(k);
        for (int turn = 0; turn < 200 && k; turn++) {
            for (uint s = 0; s < 4 && k; s++)
                if (slots[b * 4 + s] == 0) {
                    slots[b * 4 + s] = k;
                    k = 0;
                }
            if (k) {
                const uint s = b * 4 + (turn & 3), out = slots[s];
                slots[s] = k;
                k = out;
                b = h1(k) == b ? h2(k) : h1(k);
            }
        }
    }
}

kernel void lookup(global const uint *keys, global const uint4 *slots, global const uint *queries, global short *where,
                   uint n)
{
    const size_t id = get_global_id(0);
    const uint q = id & 1 ? keys[queries[id] % n] : queries[id];
    short at = -1;
    for (int choice = 0; choice < 2 && at < 0; choice++) {
        const uint b = choice ? h2(q) : h1(q);
        const int4 same = slots[b] == (uint4)(q);
        if (any(same))
            at = b * 4 + (same.x ? 0 : same.y ? 1 : same.z ? 2 : 3);
    }
    where[id] = at;
}
