// MD5 of many short messages of differing lengths, one message per work-item; the last block is padded in a private
// buffer that is filled by bytes and read by words.
//! kernel md5_messages
//! global 20000
//! arg text: buffer uchar 2621440 random 32 126
//! arg lengths: buffer ushort 20000 random 0 130
//! arg digest: buffer uint 80000 zero
//! arg count: int 20000

constant uint K[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
constant uchar S[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

static void md5_transform(uint4 *state, const uint *m)
{
    uint a = state->x, b = state->y, c = state->z, d = state->w;
    for (uint i = 0; i < 64; i++) {
        uint f, g;
        switch (i >> 4) {
        case 0: f = (b & c) | (~b & d); g = i; break;
        case 1: f = (d & b) | (~d & c); g = (5 * i + 1) & 15; break;
        case 2: f = b ^ c ^ d; g = (3 * i + 5) & 15; break;
        default: f = c ^ (b | ~d); g = (7 * i) & 15; break;
        }
        uint t = d;
        d = c;
        c = b;
        b += rotate(a + f + K[i] + m[g], (uint)S[i >> 4][i & 3]);
        a = t;
    }
    *state += (uint4)(a, b, c, d);
}

kernel void md5_messages(global const uchar *text, global const ushort *lengths, global uint *digest, int count)
{
    int id = get_global_id(0);
    if (id >= count)
        return;
    global const uchar *msg = text + id * 131;
    uint len = lengths[id];
    uint4 state = (uint4)(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476);
    uint block[16];
    uchar *bytes = (uchar *)block;
    uint pos = 0;
    for (; pos + 64 <= len; pos += 64) {
        for (int i = 0; i < 64; i++)
            bytes[i] = msg[pos + i];
        md5_transform(&state, block);
    }
    uint n = 0;
    while (pos < len)
        bytes[n++] = msg[pos++];
    bytes[n++] = 0x80;
    if (n > 56) {
        while (n < 64)
            bytes[n++] = 0;
        md5_transform(&state, block);
        n = 0;
    }
    while (n < 56)
        bytes[n++] = 0;
    block[14] = len * 8;
    block[15] = 0;
    md5_transform(&state, block);
    vstore4(state, id, digest);
}
