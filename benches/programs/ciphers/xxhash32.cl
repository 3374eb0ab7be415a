// xxHash32 of blobs of varying length, four lanes of a uint4 per stripe of 16 bytes.
//! kernel xxh32
//! global 131072
//! arg data: buffer uint 8388608 random 0 4294967295
//! arg lens: buffer ushort 131072 random 1 256
//! arg out: buffer uint 131072 zero
//! arg seed: uint 2654435761

#define P1 0x9e3779b1u
#define P2 0x85ebca77u
#define P3 0xc2b2ae3du
#define P4 0x27d4eb2fu
#define P5 0x165667b1u

static uint finish(uint h)
{
    h = (h ^ (h >> 15)) * P2;
    h = (h ^ (h >> 13)) * P3;
    return h ^ (h >> 16);
}

kernel void xxh32(global const uint *data, global const ushort *lens, global uint *out, uint seed)
{
    const uint gid = get_global_id(0), bytes = lens[gid];
    global const uchar *p = (global const uchar *)(data + gid * 64), *end = p + bytes;
    uint h = seed + P5;
    if (bytes >= 16) {
        uint4 v = seed + (uint4)(P1 + P2, P2, 0, 0u - P1);
        for (; p + 16 <= end; p += 16)
            v = rotate(v + vload4(0, (global const uint *)p) * P2, (uint4)(13)) * P1;
        v = rotate(v, (uint4)(1, 7, 12, 18));
        h = v.x + v.y + v.z + v.w;
    }
    h += bytes;
    while (p + 4 <= end) {
        h = rotate(h + *(global const uint *)p * P3, 17u) * P4;
        p += 4;
    }
    while (p < end)
        h = rotate(h + *p++ * P5, 11u) * P1;
    out[gid] = finish(h);
}
