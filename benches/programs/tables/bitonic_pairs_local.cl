// Bitonic sort of 512 pairs of key and row per group in local memory.
//! kernel bitonic
//! global 65536
//! local 256
//! arg keys: buffer uint 131072 random 0 100000
//! arg out: buffer uint 262144 zero

typedef struct {
    uint key, row;
} pair;

kernel void bitonic(global const uint *keys, global pair *out)
{
    local pair s[512];
    const uint lid = get_local_id(0), base = get_group_id(0) * 512;
    for (uint i = lid; i < 512; i += 256) {
        s[i].key = keys[base + i];
        s[i].row = base + i;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint size = 2; size <= 512; size <<= 1) {
        for (uint stride = size >> 1; stride > 0; stride >>= 1) {
            const uint i = 2 * lid - (lid & (stride - 1)), j = i + stride;
            const bool up = (i & size) == 0;
            const pair a = s[i], b = s[j];
            const bool greater = a.key > b.key || (a.key == b.key && a.row > b.row);
            if (greater == up) {
                s[i] = b;
                s[j] = a;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    for (uint i = lid; i < 512; i += 256)
        out[base + i] = s[i];
}
