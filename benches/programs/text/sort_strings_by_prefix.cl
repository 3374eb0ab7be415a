// Sorts groups of 64 strings by odd-even transposition in local memory: 8-byte prefixes are big-endian ulongs, ties are
// decided by the rest of the strings in global memory.
//! kernel sort_strings
//! global 8192
//! local 64
//! arg text: buffer uchar 196608 random 97 98
//! arg order: buffer ushort 8192 zero

#define WIDTH 24

static bool after(ulong pa, ulong pb, ushort a, ushort b, global const uchar *text)
{
    if (pa != pb)
        return pa > pb;
    for (int i = 8; i < WIDTH; i++) {
        const uchar x = text[a * WIDTH + i], y = text[b * WIDTH + i];
        if (x != y)
            return x > y;
    }
    return a > b;
}

kernel void sort_strings(global const uchar *text, global ushort *order)
{
    local ulong prefix[64];
    local ushort index[64];
    const int lid = get_local_id(0);
    text += get_group_id(0) * 64 * WIDTH;
    prefix[lid] = as_ulong(vload8(0, text + lid * WIDTH).s76543210);
    index[lid] = lid;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int round = 0; round < 64; round++) {
        const int i = 2 * lid + (round & 1);
        if (i + 1 < 64 && after(prefix[i], prefix[i + 1], index[i], index[i + 1], text)) {
            const ulong p = prefix[i];
            const ushort k = index[i];
            prefix[i] = prefix[i + 1];
            index[i] = index[i + 1];
            prefix[i + 1] = p;
            index[i + 1] = k;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    order[get_global_id(0)] = index[lid];
}
