// Longest prefix match of words in a trie kept as child masks and first-child numbers (popcount gives the place);
// `prepare` inserts 512 keys level by level.
//! kernel lookup
//! global 65536
//! arg keys: buffer uchar 4096 random 0 15
//! arg masks: buffer ushort 8192 zero
//! arg child: buffer ushort 8192 zero
//! arg queries: buffer uint 65536 random 0 4294967295
//! arg depth: buffer uchar 65536 zero
//! arg node: buffer ushort 65536 zero
//! prepare 1: keys masks child

kernel void prepare(global const uchar *keys, global ushort *masks, global ushort *child)
{
    ushort at[512], nodes = 1;
    for (int k = 0; k < 512; k++)
        at[k] = 0;
    for (int level = 0; level < 8; level++) {
        const int first_new = nodes;
        for (int k = 0; k < 512; k++)
            if (3 + (k & 5) > level)
                masks[at[k]] |= 1 << keys[k * 8 + level];
        for (int n = 0; n < first_new; n++)
            if (masks[n] && !child[n]) {
                child[n] = nodes;
                nodes += popcount(masks[n]);
            }
        for (int k = 0; k < 512; k++)
            if (3 + (k & 5) > level) {
                const ushort below = masks[at[k]] & ((1 << keys[k * 8 + level]) - 1);
                at[k] = child[at[k]] + popcount(below);
            }
    }
}

kernel void lookup(global const uchar *keys, global const ushort *masks, global const ushort *child,
                   global const uint *queries, global uchar *depth, global ushort *node)
{
    const size_t id = get_global_id(0);
    uint q = queries[id], n = 0, d = 0;
    if (id & 1) {
        const uint8 k = convert_uint8(vload8(q & 511, keys));
        const uint8 at = k << (uint8)(0, 4, 8, 12, 16, 20, 24, 28);
        const uint4 sum = at.lo | at.hi;
        q = sum.x | sum.y | sum.z | sum.w;
    }
    for (; d < 8; d++, q >>= 4) {
        const uint bit = 1u << (q & 15);
        if (!(masks[n] & bit))
            break;
        n = child[n] + popcount(masks[n] & (bit - 1));
    }
    depth[id] = d;
    node[id] = n;
}
