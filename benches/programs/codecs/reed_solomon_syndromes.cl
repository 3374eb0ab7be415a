// Syndromes of RS(255,223) code words by logarithm tables of GF(256) in local memory; code words with an error get the
// degree of the error polynomial from Berlekamp-Massey.
//! kernel syndromes
//! global 512
//! local 16
//! arg words: buffer uchar 130560 random 0 255
//! arg tables: buffer uchar 768 zero
//! arg out: buffer uchar 16384 zero
//! arg degree: buffer uchar 512 zero
//! prepare 1: tables

kernel void prepare(global uchar *tables)
{
    uint x = 1;
    for (int i = 0; i < 255; i++) {
        tables[i] = tables[i + 255] = x;
        tables[512 + x] = i;
        x = (x << 1) ^ (x & 0x80 ? 0x11d : 0);
    }
}

#define MUL(a, b) ((a) && (b) ? gexp[glog[a] + glog[b]] : 0)

kernel void syndromes(global const uchar *words, global const uchar *tables, global uchar *out, global uchar *degree)
{
    local uchar gexp[512], glog[256];
    for (int i = get_local_id(0); i < 512; i += get_local_size(0)) {
        gexp[i] = tables[i];
        if (i < 256)
            glog[i] = tables[512 + i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int id = get_global_id(0);
    uchar s[32], c[33] = {1}, b[33] = {1}, t[33];
    for (int k = 0; k < 32; k++)
        s[k] = 0;
    for (int i = 0; i < 255; i++) {
        const uchar v = id % 7 == 0 && i > 5 ? 0 : words[id * 255 + i];
        for (int k = 0; k < 32; k++)
            s[k] = v ^ (s[k] ? gexp[glog[s[k]] + k] : 0);
    }
    for (int k = 0; k < 32; k++)
        out[id * 32 + k] = s[k];
    int len = 0, m = 1;
    uchar last = 1;
    for (int n = 0; n < 32; n++) {
        uchar d = s[n];
        for (int i = 1; i <= len; i++)
            d ^= MUL(c[i], s[n - i]);
        if (d == 0) {
            m++;
            continue;
        }
        for (int i = 0; i < 33; i++)
            t[i] = c[i];
        const uchar f = gexp[(glog[d] + 255 - glog[last]) % 255];
        for (int i = 0; i + m < 33; i++)
            c[i + m] ^= MUL(f, b[i]);
        if (2 * len <= n) {
            len = n + 1 - len;
            for (int i = 0; i < 33; i++)
                b[i] = t[i];
            last = d;
            m = 1;
        } else {
            m++;
        }
    }
    degree[id] = len;
}
