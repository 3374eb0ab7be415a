// Decodes IMA ADPCM channels of 4-bit codes and re-encodes the samples as mu-law, one block per work-item.
//! kernel adpcm
//! global 2048
//! local 32
//! arg blocks: buffer uchar 524288 random 0 255
//! arg pcm: buffer short 1048576 zero
//! arg ulaw: buffer uchar 1048576 zero

constant short step_table[89] = {
    7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73, 80, 88, 97, 107,
    118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494, 544, 598, 658, 724, 796, 876, 963,
    1060, 1166, 1282, 1411, 1552, 1707, 1878, 2066, 2272, 2499, 2749, 3024, 3327, 3660, 4026, 4428, 4871, 5358, 5894,
    6484, 7132, 7845, 8630, 9493, 10442, 11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794,
    32767};
constant char index_table[8] = {-1, -1, -1, -1, 2, 4, 6, 8};

static uchar mulaw(short s)
{
    int x = abs((int)s), sign = s < 0 ? 0x80 : 0;
    x = min(x, 32635) + 132;
    int e = 31 - clz(x) - 7;
    return ~(sign | (e << 4) | ((x >> (e + 3)) & 15));
}

kernel void adpcm(global const uchar *blocks, global short *pcm, global uchar *ulaw)
{
    const int b = get_global_id(0);
    global const uchar *p = blocks + b * 256;
    short sample = (short)(p[0] | p[1] << 8);
    int index = min((int)p[2], 88);
    for (int i = 0; i < 504; i++) {
        const uchar two = p[4 + i / 2], code = i & 1 ? two >> 4 : two & 15;
        const int step = step_table[index];
        int diff = step >> 3;
        if (code & 1)
            diff += step >> 2;
        if (code & 2)
            diff += step >> 1;
        if (code & 4)
            diff += step;
        const int next = code & 8 ? sample - diff : sample + diff;
        sample = (short)clamp(next, -32768, 32767);
        index = clamp(index + index_table[code & 7], 0, 88);
        pcm[b * 512 + i] = sample;
        ulaw[b * 512 + i] = mulaw(sample);
    }
}
