// Builds a Bloom filter with atomic or, five positions a key by double hashing.
//! kernel build
//! global 524288
//! local 128
//! arg keys: buffer uint 520000 random 0 4294967295
//! arg filter: buffer uint 131072 zero
//! arg n: uint 520000

kernel void build(global const uint *keys, volatile global uint *filter, uint n)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint k = keys[i], h1 = k * 0x85ebca6bu, h2;
    h1 ^= h1 >> 13;
    h1 *= 0xc2b2ae35u;
    h1 ^= h1 >> 16;
    h2 = rotate(h1, 15u) * 5 + 0xe6546b64u;
    for (int j = 0; j < 5; j++) {
        uint bit = (h1 + j * h2) & 0x3fffff;
        uint mask = 1u << (bit & 31);
        if (!(filter[bit >> 5] & mask))
            atomic_or(&filter[bit >> 5], mask);
    }
}
