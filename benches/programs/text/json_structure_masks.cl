// First stage of a JSON parser: 64 bytes per work-item become bit masks of quotes that are not escaped, of the inside
// of strings, by a prefix xor, and of structural characters.
//! kernel structure
//! global 16384
//! arg noise: buffer uchar 1048576 random 0 255
//! arg quotes: buffer ulong 16384 zero
//! arg inside: buffer ulong 16384 zero
//! arg structural: buffer ulong 16384 zero

constant uchar json[65] = "{\"name\": \"a\\\"b\", \"id\": [12, 3.5, true], \"x\":{\"y\\\\\": null}} ,[] \"";

static ulong bits_equal(const uchar *b, uchar c)
{
    ulong r = 0;
    for (int i = 0; i < 64; i++)
        r |= (ulong)(b[i] == c) << i;
    return r;
}

kernel void structure(global const uchar *noise, global ulong *quotes, global ulong *inside, global ulong *structural)
{
    const size_t id = get_global_id(0);
    uchar b[64];
    for (int i = 0; i < 64; i += 16)
        vstore16(vload16(id * 4 + i / 16, noise), 0, b + i);
    for (int i = 0; i < 64; i++)
        b[i] = json[((b[i] >> 7) * b[i] + i) & 63];
    ulong backslash = bits_equal(b, '\\'), escaped = 0;
    for (ulong rest = backslash; rest;) {
        int at = 63 - clz(rest & (0 - rest));
        if (at == 63)
            break;
        escaped |= 1UL << (at + 1);
        rest &= ~(3UL << at);
    }
    const ulong quote = bits_equal(b, '"') & ~escaped;
    ulong in = quote;
    for (int s = 1; s < 64; s <<= 1)
        in ^= in << s;
    ulong ops = 0;
    const uchar marks[6] = {'{', '}', '[', ']', ':', ','};
    for (int k = 0; k < 6; k++)
        ops |= bits_equal(b, marks[k]);
    quotes[id] = quote;
    inside[id] = in;
    structural[id] = ops & ~in;
}
