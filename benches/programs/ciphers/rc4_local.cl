// RC4 with the states of a group in local memory, interleaved so that neighbours touch neighbouring bytes; deciphers
// eight bytes with each key and counts those that are printable.
//! kernel rc4_check
//! global 8192
//! local 16
//! arg keys: buffer uchar 131072 random 0 255
//! arg cipher: buffer uchar 8 random 0 255
//! arg score: buffer uchar 8192 zero
//! arg first: buffer ulong 8192 zero

#define LANES 16
#define S(n) state[(uint)(uchar)(n) * LANES + lid]

__attribute__((reqd_work_group_size(LANES, 1, 1)))
kernel void rc4_check(global const uchar *keys, constant uchar *cipher, global uchar *score, global ulong *first)
{
    local uchar state[256 * LANES];
    const uint lid = get_local_id(0), gid = get_global_id(0);
    const uchar16 key = vload16(gid, keys);
    const uchar *k = (const uchar *)&key;
    for (int i = 0; i < 256; i++)
        S(i) = i;
    uchar j = 0;
    for (int i = 0; i < 256; i++) {
        const uchar si = S(i);
        j = j + si + k[i & 15];
        S(i) = S(j);
        S(j) = si;
    }
    j = 0;
    ulong seen = 0;
    uchar good = 0;
    for (uchar i = 1; i <= 8; i++) {
        const uchar a = S(i);
        j += a;
        const uchar b = S(j);
        S(i) = b;
        S(j) = a;
        const uchar x = S(a + b) ^ cipher[i - 1];
        good += x >= 0x20 && x < 0x7f;
        seen = (seen << 8) | x;
    }
    score[gid] = good;
    first[gid] = seen;
}
