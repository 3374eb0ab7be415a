// Converts rows of UTF-16 with surrogates to UTF-8; lone surrogates become U+FFFD.
//! kernel convert
//! global 8192
//! arg in: buffer ushort 524288 random 0 65535
//! arg out: buffer uchar 1572864 zero
//! arg length: buffer ushort 8192 zero

kernel void convert(global const ushort *in, global uchar *out, global ushort *length)
{
    const size_t row = get_global_id(0);
    global const ushort *s = in + row * 64;
    global uchar *o = out + row * 192;
    int n = 0;
    for (int i = 0; i < 64; i++) {
        uint c = s[i];
        if (c >= 0xc000 && c < 0xd800)
            c -= 0xc000 - 32;
        if (c < 0x80) {
            o[n++] = c;
        } else if (c < 0x800) {
            o[n++] = 0xc0 | (c >> 6);
            o[n++] = 0x80 | (c & 0x3f);
        } else {
            if ((c & 0xf800) == 0xd800) {
                if (c < 0xdc00 && i + 1 < 64 && (s[i + 1] & 0xfc00) == 0xdc00) {
                    c = 0x10000 + ((c & 0x3ff) << 10) + (s[++i] & 0x3ff);
                    o[n++] = 0xf0 | (c >> 18);
                    o[n++] = 0x80 | ((c >> 12) & 0x3f);
                    o[n++] = 0x80 | ((c >> 6) & 0x3f);
                    o[n++] = 0x80 | (c & 0x3f);
                    continue;
                }
                c = 0xfffd;
            }
            o[n++] = 0xe0 | (c >> 12);
            o[n++] = 0x80 | ((c >> 6) & 0x3f);
            o[n++] = 0x80 | (c & 0x3f);
        }
    }
    length[row] = n;
}
