// Unpacks columns of 1 to 32 bits per value to ints; every page of 128 values has its own width and base.
//! kernel unpack
//! global 2097152
//! local 128
//! arg words: buffer uint 2097153 random 0 4294967295
//! arg width: buffer uchar 16384 random 1 32
//! arg base: buffer int 16384 random -100000 100000
//! arg out: buffer int 2097152 zero

kernel void unpack(global const uint *words, global const uchar *width, global const int *base, global int *out)
{
    const uint page = get_group_id(0), i = get_local_id(0);
    const uint w = width[page], bit = i * w;
    global const uint *p = words + page * 128 + (bit >> 5);
    const uint shift = bit & 31;
    ulong two = p[0];
    if (shift + w > 32)
        two |= (ulong)p[1] << 32;
    const uint v = (uint)(two >> shift) & (0xffffffffu >> (32 - w));
    out[page * 128 + i] = base[page] + (int)v;
}
