// Takes apart interleaved blocks of 8 x 7 bits, corrects single errors by the Hamming (7,4) syndrome and packs nibbles.
//! kernel fec
//! global 524288
//! arg in: buffer uchar 3670016 random 0 255
//! arg out: buffer uint 524288 zero
//! arg fixed: buffer uchar 524288 zero

constant uchar flip[8] = {0, 1, 2, 4, 8, 16, 32, 64};

kernel void fec(global const uchar *in, global uint *out, global uchar *fixed)
{
    size_t id = get_global_id(0);
    uchar plane[7];
    for (int i = 0; i < 7; i++)
        plane[i] = in[id * 7 + i];
    uint word = 0;
    uchar repairs = 0;
    for (int c = 0; c < 8; c++) {
        uchar code = 0;
        for (int i = 0; i < 7; i++)
            code |= ((plane[i] >> c) & 1) << i;
        uint s = (popcount((uchar)(code & 0x55)) & 1) | (popcount((uchar)(code & 0x66)) & 1) << 1 |
                 (popcount((uchar)(code & 0x78)) & 1) << 2;
        code ^= flip[s];
        repairs += s != 0;
        word |= (uint)(((code >> 2) & 1) | ((code >> 3) & 14)) << (4 * c);
    }
    out[id] = word;
    fixed[id] = repairs;
}
