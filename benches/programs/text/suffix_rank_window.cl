// Ranks the suffixes of a text inside windows of 64 by comparing each with all others, eight bytes at a time.
//! kernel rank
//! global 16384
//! local 64
//! arg text: buffer uchar 16448 random 97 98
//! arg ranks: buffer uchar 16384 zero
//! arg longest: buffer uchar 16384 zero

kernel void rank(global const uchar *text, global uchar *ranks, global uchar *longest)
{
    local uchar s[128];
    const int lid = get_local_id(0), base = get_group_id(0) * 64;
    s[lid] = text[base + lid];
    s[lid + 64] = text[base + 64 + lid];
    barrier(CLK_LOCAL_MEM_FENCE);
    int before = 0, most = 0;
    for (int other = 0; other < 64; other++) {
        if (other == lid)
            continue;
        int k = 0, limit = 128 - max(lid, other);
        while (k + 8 <= limit) {
            const ulong a = as_ulong(vload8(0, s + lid + k)), b = as_ulong(vload8(0, s + other + k));
            if (a != b) {
                k += (63 - (int)clz((a ^ b) & (0 - (a ^ b)))) >> 3;
                limit = -1;
                break;
            }
            k += 8;
        }
        while (k < limit && s[lid + k] == s[other + k])
            k++;
        most = max(most, k);
        const bool ended = lid + k >= 128 || other + k >= 128;
        before += ended ? other > lid : s[other + k] < s[lid + k];
    }
    ranks[base + lid] = before;
    longest[base + lid] = most;
}
