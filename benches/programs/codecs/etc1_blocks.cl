// Decodes ETC1 blocks: individual or differential base colours, a row of modifiers for each half, and a bit that says
// how the block is halved; pixels are uchar3.
//! kernel etc1
//! global 65536
//! local 64
//! arg blocks: buffer uchar 524288 random 0 255
//! arg pixels: buffer uchar 3145728 zero

constant short modifiers[8][4] = {{2, 8, -2, -8},     {5, 17, -5, -17},   {9, 29, -9, -29},    {13, 42, -13, -42},
                                  {18, 60, -18, -60}, {24, 80, -24, -80}, {33, 106, -33, -106}, {47, 183, -47, -183}};

static short3 five_to_eight(char3 c)
{
    short3 s = convert_short3(c) & (short3)(31);
    return (s << (short3)(3)) | (s >> (short3)(2));
}

kernel void etc1(global const uchar *blocks, global uchar *pixels)
{
    const size_t id = get_global_id(0);
    const uchar8 b = vload8(id, blocks);
    short3 base[2];
    if (b.s3 & 2) {
        const char3 first = (char3)(b.s0 >> 3, b.s1 >> 3, b.s2 >> 3);
        const char3 d = (as_char3(b.s012) << (char3)(5)) >> (char3)(5);
        base[0] = five_to_eight(first);
        base[1] = five_to_eight(first + d);
    } else {
        const uchar3 c = b.s012;
        base[0] = convert_short3(c >> (uchar3)(4)) * (short3)(17);
        base[1] = convert_short3(c & (uchar3)(15)) * (short3)(17);
    }
    const uchar table[2] = {b.s3 >> 5, (b.s3 >> 2) & 7};
    const bool flip = b.s3 & 1;
    const ushort high = b.s4 << 8 | b.s5, low = b.s6 << 8 | b.s7;
    for (int x = 0; x < 4; x++)
        for (int y = 0; y < 4; y++) {
            const int bit = x * 4 + y, part = flip ? y >> 1 : x >> 1;
            const int m = ((high >> bit) & 1) << 1 | ((low >> bit) & 1);
            const short3 v = base[part] + (short3)(modifiers[table[part]][m]);
            vstore3(convert_uchar3_sat(v), id * 16 + y * 4 + x, pixels);
        }
}
