// Descends a B-tree with 15 keys a node stored level by level; a node is read as one uint16 vector and the child number
// is the count of keys not above the key.
//! kernel descend
//! global 262144
//! local 64
//! arg nodes: buffer uint 69904 zero
//! arg queries: buffer uint 262144 random 0 16777215
//! arg leaf: buffer uint 262144 zero
//! arg equal: buffer uchar 262144 zero
//! prepare 4369: nodes

kernel void prepare(global uint *nodes)
{
    const uint n = get_global_id(0);
    uint first = 0, level_size = 1, width = 1u << 24;
    while (n >= first + level_size) {
        first += level_size;
        level_size *= 16;
        width /= 16;
    }
    for (uint k = 0; k < 15; k++)
        nodes[n * 16 + k] = (n - first) * width + (k + 1) * (width / 16) + (k * n & 3);
    nodes[n * 16 + 15] = 0xffffffffu;
}

kernel void descend(global const uint *nodes, global const uint *queries, global uint *leaf, global uchar *equal)
{
    const size_t id = get_global_id(0);
    const uint q = queries[id];
    uint at = 0, first = 0, size = 1, same = 0;
    for (int level = 0; level < 4; level++) {
        const uint16 k = vload16(first + at, nodes);
        int16 le = k <= (uint16)(q), eq = k == (uint16)(q);
        int8 s8 = le.lo + le.hi;
        int4 s4 = s8.lo + s8.hi;
        const uint child = -(s4.x + s4.y + s4.z + s4.w);
        same += any(eq);
        at = at * 16 + child;
        first += size;
        size *= 16;
    }
    leaf[id] = at;
    equal[id] = same;
}
