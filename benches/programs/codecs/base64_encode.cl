// Encodes rows of bytes as base64: three bytes to four characters through a table, with padding at each row's end.
//! kernel encode
//! global 256 4096
//! arg in: buffer uchar 3145728 random 0 255
//! arg lengths: buffer ushort 4096 random 700 768
//! arg out: buffer uchar 4194304 zero

constant char alphabet[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

kernel void encode(global const uchar *in, global const ushort *lengths, global uchar *out)
{
    int piece = get_global_id(0), row = get_global_id(1);
    int n = lengths[row], at = piece * 3;
    if (at >= n)
        return;
    global const uchar *p = in + row * 768 + at;
    int left = n - at;
    uint v = p[0] << 16;
    if (left > 1)
        v |= p[1] << 8;
    if (left > 2)
        v |= p[2];
    uchar4 c;
    c.x = alphabet[v >> 18];
    c.y = alphabet[(v >> 12) & 63];
    c.z = left > 1 ? alphabet[(v >> 6) & 63] : '=';
    c.w = left > 2 ? alphabet[v & 63] : '=';
    vstore4(c, row * 256 + piece, out);
}
