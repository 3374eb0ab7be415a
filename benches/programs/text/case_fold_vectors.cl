// Folds the case of text by vectors of sixteen bytes without branches (ASCII and Latin-1) with a scalar tail, and keeps
// a checksum of each piece.
//! kernel fold
//! global 65536
//! arg in: buffer uchar 4194297 random 0 255
//! arg out: buffer uchar 4194297 zero
//! arg sums: buffer ushort 65536 zero
//! arg n: uint 4194297

static uchar fold1(uchar c)
{
    if ((c >= 'A' && c <= 'Z') || (c >= 0xc0 && c <= 0xde && c != 0xd7))
        return c + 32;
    return c;
}

kernel void fold(global const uchar *in, global uchar *out, global ushort *sums, uint n)
{
    const uint id = get_global_id(0), start = id * 64, end = min(start + 64, n);
    ushort16 acc = 0;
    uint i = start;
    for (; i + 16 <= end; i += 16) {
        uchar16 c = vload16(0, in + i);
        char16 upper = (c - (uchar16)'A') < (uchar16)26;
        upper |= ((c - (uchar16)0xc0) < (uchar16)31) & (c != (uchar16)0xd7);
        c += as_uchar16(upper) & (uchar16)32;
        vstore16(c, 0, out + i);
        acc += convert_ushort16(c);
    }
    ushort8 a8 = acc.lo + acc.hi;
    ushort4 a4 = a8.lo + a8.hi;
    ushort sum = a4.x + a4.y + a4.z + a4.w;
    for (; i < end; i++) {
        out[i] = fold1(in[i]);
        sum += out[i];
    }
    sums[id] = sum;
}
