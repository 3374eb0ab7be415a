// Decodes BC1 colour blocks with a BC4 alpha block each into RGBA pixels, four rows per work-item.
//! kernel decode
//! global 256 256
//! local 16 4
//! arg colour: buffer uint 131072 random 0 4294967295
//! arg alpha: buffer uchar 524288 random 0 255
//! arg image: buffer uchar 4194304 zero

static uchar4 from565(ushort c)
{
    uint r = c >> 11, g = (c >> 5) & 63, b = c & 31;
    return (uchar4)(r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2, 255);
}

kernel void decode(global const uint2 *colour, global const uchar *alpha, global uchar4 *image)
{
    const uint bx = get_global_id(0), by = get_global_id(1), w = get_global_size(0), block = by * w + bx;
    const uint2 c = colour[block];
    const ushort c0 = c.x & 0xffff, c1 = c.x >> 16;
    uchar4 pal[4];
    pal[0] = from565(c0);
    pal[1] = from565(c1);
    const ushort4 a = convert_ushort4(pal[0]), b = convert_ushort4(pal[1]);
    if (c0 > c1) {
        pal[2] = convert_uchar4((a * (ushort4)(2) + b) / (ushort4)(3));
        pal[3] = convert_uchar4((a + b * (ushort4)(2)) / (ushort4)(3));
    } else {
        pal[2] = convert_uchar4((a + b) / (ushort4)(2));
        pal[3] = (uchar4)(0);
    }
    uchar al[8];
    const uchar8 raw = vload8(block, alpha);
    al[0] = raw.s0;
    al[1] = raw.s1;
    if (al[0] > al[1]) {
        for (int i = 1; i < 7; i++)
            al[i + 1] = ((7 - i) * al[0] + i * al[1]) / 7;
    } else {
        for (int i = 1; i < 5; i++)
            al[i + 1] = ((5 - i) * al[0] + i * al[1]) / 5;
        al[6] = 0;
        al[7] = 255;
    }
    ulong index = as_ulong(raw) >> 16;
    uint sel = c.y;
    for (uint y = 0; y < 4; y++)
        for (uint x = 0; x < 4; x++) {
            uchar4 p = pal[sel & 3];
            p.w = al[index & 7];
            image[(by * 4 + y) * w * 4 + bx * 4 + x] = p;
            sel >>= 2;
            index >>= 3;
        }
}
