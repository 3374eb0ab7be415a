// Probes a blocked Bloom filter (one 64-byte line per key) with four rows of a column at a time and writes a byte mask;
// the filter was filled by `prepare`.
//! kernel probe
//! global 131072
//! local 64
//! arg column: buffer uint 524288 random 0 400000
//! arg filter: buffer uint 65536 zero
//! arg mask: buffer uchar 524288 zero
//! prepare 1: filter

static uint mix(uint x)
{
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

kernel void prepare(global uint *filter)
{
    for (uint key = 1; key < 400000; key += 17) {
        uint h = mix(key), line = (h & 4095) * 16, g = mix(h);
        for (int j = 0; j < 3; j++, g >>= 9)
            filter[line + (g & 15)] |= 1u << ((g >> 4) & 31);
    }
}

kernel void probe(global const uint4 *column, global const uint *filter, global uchar4 *mask)
{
    const size_t i = get_global_id(0);
    uint keys[4];
    uchar result[4];
    vstore4(column[i], 0, keys);
    for (int k = 0; k < 4; k++) {
        uint h = mix(keys[k]), g = mix(h);
        global const uint *line = filter + (h & 4095) * 16;
        uint all = 1;
        for (int j = 0; j < 3; j++, g >>= 9)
            all &= line[g & 15] >> ((g >> 4) & 31);
        result[k] = all & 1;
    }
    mask[i] = vload4(0, result);
}
