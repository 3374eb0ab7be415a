// Writes bytes as hexadecimal text and reads it back, eight bytes per work-item, by arithmetic instead of tables.
//! kernel hex
//! global 524288
//! arg in: buffer uchar 4194304 random 0 255
//! arg text: buffer uchar 8388608 zero
//! arg back: buffer uchar 4194304 zero

kernel void hex(global const uchar *in, global uchar *text, global uchar *back)
{
    const size_t i = get_global_id(0);
    const uchar8 b = vload8(i, in), h = b >> (uchar8)(4), l = b & (uchar8)(15);
    uchar16 t;
    t.even = h;
    t.odd = l;
    t += select((uchar16)('0'), (uchar16)('a' - 10), t > (uchar16)(9));
    vstore16(t, i, text);
    uchar16 v = (t & (uchar16)(15)) + (t >> (uchar16)(6)) * (uchar16)(9);
    vstore8((v.even << (uchar8)(4)) | v.odd, i, back);
}
