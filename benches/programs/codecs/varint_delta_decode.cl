// Posting lists: gaps stored as base-128 varints, zigzag for those that may go down; sums them to absolute values.
//! kernel postings
//! global 4096
//! local 32
//! arg gaps: buffer uint 262144 random 0 2000000
//! arg bytes: buffer uchar 1048576 zero
//! arg sizes: buffer ushort 4096 zero
//! arg values: buffer int 262144 zero
//! arg counts: buffer ushort 4096 zero
//! prepare 4096: gaps bytes sizes

kernel void prepare(global const uint *gaps, global uchar *bytes, global ushort *sizes)
{
    const uint list = get_global_id(0);
    uint n = 0;
    for (uint i = 0; i < 64; i++) {
        uint g = gaps[list * 64 + i];
        g >>= g & 15;
        for (; g > 127; g >>= 7)
            bytes[list * 256 + n++] = 128 | (g & 127);
        bytes[list * 256 + n++] = g;
    }
    sizes[list] = n;
}

kernel void postings(global const uint *gaps, global const uchar *bytes, global const ushort *sizes, global int *values,
                     global ushort *counts)
{
    const uint list = get_global_id(0);
    global const uchar *p = bytes + list * 256, *end = p + sizes[list];
    int value = 0;
    uint n = 0;
    while (p < end) {
        uint v = 0, shift = 0;
        uchar c;
        do {
            c = *p++;
            v |= (uint)(c & 127) << shift;
            shift += 7;
        } while (c & 128);
        value += (int)(v >> 1) ^ -(int)(v & 1);
        values[list * 64 + n++] = value;
    }
    counts[list] = n;
}
