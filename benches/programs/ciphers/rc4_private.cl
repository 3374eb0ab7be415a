// RC4 with a private state of 256 bytes per work-item: sets up a 40-bit key each and keeps the key stream from byte 16
// on, four bytes at a time.
//! kernel rc4
//! global 4096
//! arg base: buffer uchar 5 random 0 255
//! arg out: buffer uint 32768 zero

void swap(uchar *s, uchar i, uchar j)
{
    uchar t = s[i];
    s[i] = s[j];
    s[j] = t;
}

kernel void rc4(constant uchar *base, global uint *out)
{
    int gid = get_global_id(0);
    uchar key[5], s[256], i = 0, j = 0;
    for (int k = 0; k < 5; k++)
        key[k] = base[k];
    key[0] += gid;
    key[1] ^= gid >> 8;
    uint *words = (uint *)s;
    for (int k = 0; k < 64; k++)
        words[k] = 0x03020100u + 0x04040404u * k;
    for (int k = 0, m = 0; k < 256; k++) {
        j += s[k] + key[m];
        swap(s, k, j);
        if (++m == 5)
            m = 0;
    }
    j = 0;
    for (int w = -4; w < 8; w++) {
        uint word = 0;
        for (int b = 0; b < 32; b += 8) {
            i++;
            j += s[i];
            swap(s, i, j);
            word |= (uint)s[(uchar)(s[i] + s[j])] << b;
        }
        if (w >= 0)
            out[gid * 8 + w] = word;
    }
}
