// Spatial sort keys of particles: 63-bit Morton codes in three dimensions by bit spreading, and a Hilbert index in two
// by a loop over bits.
//! kernel keys
//! global 500000
//! arg pos: buffer float 1500000 random 0 1
//! arg morton: buffer ulong 500000 zero
//! arg hilbert: buffer uint 500000 zero
//! arg n: uint 499900

ulong spread(uint v)
{
    ulong x = v & 0x1fffff;
    x = (x | x << 32) & 0x001f00000000ffffUL;
    x = (x | x << 16) & 0x001f0000ff0000ffUL;
    x = (x | x << 8) & 0x100f00f00f00f00fUL;
    x = (x | x << 4) & 0x10c30c30c30c30c3UL;
    return (x | x << 2) & 0x1249249249249249UL;
}

uint hilbert2(uint x, uint y, int bits)
{
    uint d = 0;
    for (uint s = 1u << (bits - 1); s > 0; s >>= 1) {
        uint rx = (x & s) != 0, ry = (y & s) != 0;
        d += s * s * ((3 * rx) ^ ry);
        if (ry == 0) {
            if (rx == 1) {
                x = s - 1 - (x & (s - 1));
                y = s - 1 - (y & (s - 1));
            }
            uint t = x;
            x = y;
            y = t;
        }
    }
    return d;
}

kernel void keys(global const float *pos, global ulong *morton, global uint *hilbert, uint n)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint3 q = convert_uint3(vload3(i, pos) * 2097152.0f);
    morton[i] = spread(q.x) | spread(q.y) << 1 | spread(q.z) << 2;
    hilbert[i] = hilbert2(q.x >> 5, q.y >> 5, 16);
}
