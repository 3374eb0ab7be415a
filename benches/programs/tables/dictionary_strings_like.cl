// Dictionary-coded strings: decides once per entry whether LIKE '%ab%' holds (shared in local memory as bits), then
// decodes codes of rows and counts the rows of each work-item that match.
//! kernel like
//! global 32768
//! local 256
//! arg dictionary: buffer uchar 8192 random 97 102
//! arg codes: buffer ushort 1048576 random 0 511
//! arg found: buffer uchar 32768 zero
//! arg letters: buffer uint 32768 zero

kernel void like(global const uchar *dictionary, global const ushort *codes, global uchar *found, global uint *letters)
{
    local uint hit[16];
    local uchar first[512];
    const uint lid = get_local_id(0), gid = get_global_id(0);
    if (lid < 16)
        hit[lid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint e = lid; e < 512; e += 256) {
        const uchar16 s = vload16(e, dictionary);
        const char16 two = (s == (uchar16)('a')) & (s.s123456789abcdeff == (uchar16)('b'));
        if (any(two))
            atomic_or(&hit[e >> 5], 1u << (e & 31));
        first[e] = s.s0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uchar n = 0;
    uint sum = 0;
    for (uint i = 0; i < 32; i += 8) {
        ushort c[8];
        vstore8(vload8(gid * 4 + i / 8, codes), 0, c);
        for (int k = 0; k < 8; k++) {
            n += (hit[c[k] >> 5] >> (c[k] & 31)) & 1;
            sum = sum * 3 + first[c[k]];
        }
    }
    found[gid] = n;
    letters[gid] = sum;
}
