// Counting sort of 255 bytes per work-item with 64 private counters of one byte each, cleared and summed as words.
//! kernel sort_bytes
//! global 16384
//! local 64
//! arg in: buffer uchar 4194304 random 0 63
//! arg out: buffer uchar 4194304 zero

kernel void sort_bytes(global const uchar *in, global uchar *out)
{
    const size_t base = get_global_id(0) * 255;
    uint words[16];
    uchar *count = (uchar *)words;
    for (int i = 0; i < 16; i++)
        words[i] = 0;
    for (int i = 0; i < 255; i++)
        count[in[base + i]]++;
    uint carry = 0;
    for (int i = 0; i < 16; i++) {
        uint w = words[i];
        w += w << 8;
        w += w << 16;
        words[i] = (w << 8) + carry * 0x01010101u;
        carry = (carry + (w >> 24)) & 255;
    }
    for (int i = 0; i < 255; i++) {
        const uchar v = in[base + i];
        out[base + count[v]++] = v;
    }
}
