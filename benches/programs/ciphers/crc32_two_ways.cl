// Checks CRC-32 two ways: eight bytes at a time by tables in global memory and bit by bit without tables; the rows
// where both agree get the sum, others get zero.
//! kernel both
//! global 16384
//! arg rows: buffer ulong 524288 random 0 4294967295
//! arg t: buffer uint 2048 zero
//! arg out: buffer uint 16384 zero
//! prepare 1: t

kernel void prepare(global uint *t)
{
    for (uint i = 0; i < 256; i++) {
        uint c = i;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? (c >> 1) ^ 0x82f63b78u : c >> 1;
        t[i] = c;
    }
    for (uint i = 256; i < 2048; i++)
        t[i] = (t[i - 256] >> 8) ^ t[t[i - 256] & 255];
}

kernel void both(global const ulong *rows, global const uint *t, global uint *out)
{
    const uint row = get_global_id(0);
    uint fast = ~0u, slow = ~0u;
    for (uint i = 0; i < 32; i++) {
        ulong x = rows[row * 32 + i] * 0xff51afd7ed558ccdUL;
        uint lo = (uint)x ^ fast, hi = (uint)(x >> 32);
        fast = t[7 * 256 + (lo & 255)] ^ t[6 * 256 + ((lo >> 8) & 255)] ^ t[5 * 256 + ((lo >> 16) & 255)] ^
               t[4 * 256 + (lo >> 24)] ^ t[3 * 256 + (hi & 255)] ^ t[2 * 256 + ((hi >> 8) & 255)] ^
               t[256 + ((hi >> 16) & 255)] ^ t[hi >> 24];
        for (int half_word = 0; half_word < 2; half_word++, x >>= 32) {
            slow ^= (uint)x;
            for (int k = 0; k < 32; k++)
                slow = (slow >> 1) ^ (0x82f63b78u & -(slow & 1));
        }
    }
    out[row] = fast == slow ? ~fast : 0;
}
