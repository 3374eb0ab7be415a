// Decodes base64 sixteen characters at a time with byte vectors; a bad character marks its block.
//! kernel decode
//! global 262144
//! local 64
//! arg in: buffer uchar 4194304 random 0 63
//! arg text: buffer uchar 4194304 zero
//! arg out: buffer uchar 3145728 zero
//! arg bad: buffer uchar 262144 zero
//! prepare 4194304: in text

kernel void prepare(global const uchar *in, global uchar *text)
{
    size_t i = get_global_id(0);
    uchar v = in[i];
    uchar c = v < 26 ? 'A' + v : v < 52 ? 'a' + v - 26 : v < 62 ? '0' + v - 52 : v == 62 ? '+' : '/';
    text[i] = i % 5003 == 17 ? '*' : c;
}

kernel void decode(global const uchar *in, global const uchar *text, global uchar *out, global uchar *bad)
{
    const size_t gid = get_global_id(0);
    const uchar16 c = vload16(gid, text);
    const uchar16 upper = c - (uchar16)('A'), lower = c - (uchar16)('a'), digit = c - (uchar16)('0');
    uchar16 v = (uchar16)(255);
    v = select(v, upper, upper < (uchar16)(26));
    v = select(v, lower + (uchar16)(26), lower < (uchar16)(26));
    v = select(v, digit + (uchar16)(52), digit < (uchar16)(10));
    v = select(v, (uchar16)(62), c == (uchar16)('+'));
    v = select(v, (uchar16)(63), c == (uchar16)('/'));
    bad[gid] = any(v > (uchar16)(63));
    v &= (uchar16)(63);
    uchar4 a = v.s048c, b = v.s159d, d = v.s26ae, e = v.s37bf;
    uchar4 x = (a << (uchar4)(2)) | (b >> (uchar4)(4));
    uchar4 y = (b << (uchar4)(4)) | (d >> (uchar4)(2));
    uchar4 z = (d << (uchar4)(6)) | e;
    for (int i = 0; i < 4; i++) {
        uchar3 t = i == 0 ? (uchar3)(x.s0, y.s0, z.s0) : i == 1 ? (uchar3)(x.s1, y.s1, z.s1)
                 : i == 2 ? (uchar3)(x.s2, y.s2, z.s2) : (uchar3)(x.s3, y.s3, z.s3);
        vstore3(t, gid * 4 + i, out);
    }
}
