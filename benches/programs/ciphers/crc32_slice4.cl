// CRC-32 of packets of varying length: bytes up to the first aligned word, then four bytes at a time by four tables in
// constant memory, then the tail; a checksum of Adler's kind is taken on the way.
//! kernel crc32_packets
//! global 8192
//! local 32
//! arg data: buffer uint 2097152 random 0 4294967295
//! arg start: buffer uint 8192 random 0 8380000
//! arg length: buffer ushort 8192 random 20 1500
//! arg crc: buffer uint 8192 zero
//! arg adler: buffer uint 8192 zero

// A CRC is linear: the entry of a byte is the sum, without carries, of those of its bits.
#define BIT(i, b, word) ((i) >> (b) & 1 ? word : 0)
#define T0(i)                                                                                        \
    (BIT(i, 0, 0x77073096) ^ BIT(i, 1, 0xee0e612c) ^ BIT(i, 2, 0x076dc419) ^ BIT(i, 3, 0x0edb8832) ^ \
     BIT(i, 4, 0x1db71064) ^ BIT(i, 5, 0x3b6e20c8) ^ BIT(i, 6, 0x76dc4190) ^ BIT(i, 7, 0xedb88320))
#define T1(i)                                                                                        \
    (BIT(i, 0, 0x191b3141) ^ BIT(i, 1, 0x32366282) ^ BIT(i, 2, 0x646cc504) ^ BIT(i, 3, 0xc8d98a08) ^ \
     BIT(i, 4, 0x4ac21251) ^ BIT(i, 5, 0x958424a2) ^ BIT(i, 6, 0xf0794f05) ^ BIT(i, 7, 0x3b83984b))
#define T2(i)                                                                                        \
    (BIT(i, 0, 0x01c26a37) ^ BIT(i, 1, 0x0384d46e) ^ BIT(i, 2, 0x0709a8dc) ^ BIT(i, 3, 0x0e1351b8) ^ \
     BIT(i, 4, 0x1c26a370) ^ BIT(i, 5, 0x384d46e0) ^ BIT(i, 6, 0x709a8dc0) ^ BIT(i, 7, 0xe1351b80))
#define T3(i)                                                                                        \
    (BIT(i, 0, 0xb8bc6765) ^ BIT(i, 1, 0xaa09c88b) ^ BIT(i, 2, 0x8f629757) ^ BIT(i, 3, 0xc5b428ef) ^ \
     BIT(i, 4, 0x5019579f) ^ BIT(i, 5, 0xa032af3e) ^ BIT(i, 6, 0x9b14583d) ^ BIT(i, 7, 0xed59b63b))
#define FOUR(t, i) t(i), t((i) + 1), t((i) + 2), t((i) + 3)
#define SIXTEEN(t, i) FOUR(t, i), FOUR(t, (i) + 4), FOUR(t, (i) + 8), FOUR(t, (i) + 12)
#define SIXTY_FOUR(t, i) SIXTEEN(t, i), SIXTEEN(t, (i) + 16), SIXTEEN(t, (i) + 32), SIXTEEN(t, (i) + 48)
#define TABLE(t) {SIXTY_FOUR(t, 0), SIXTY_FOUR(t, 64), SIXTY_FOUR(t, 128), SIXTY_FOUR(t, 192)}

constant uint t[4][256] = {TABLE(T0), TABLE(T1), TABLE(T2), TABLE(T3)};

kernel void crc32_packets(global const uint *data, global const uint *start, global const ushort *length,
                          global uint *crc, global uint *adler)
{
    const int i = get_global_id(0);
    global const uchar *p = (global const uchar *)data + start[i];
    int n = length[i];
    uint c = 0xffffffff, a = 1, b = 0;
    while (n > 0 && ((uint)(size_t)p & 3)) {
        a += *p;
        b += a;
        c = t[0][(c ^ *p++) & 255] ^ (c >> 8);
        n--;
    }
    for (; n >= 4; n -= 4, p += 4) {
        uchar4 q = *(global const uchar4 *)p;
        b += 4 * a + 4 * q.x + 3 * q.y + 2 * q.z + q.w;
        a += q.x + q.y + q.z + q.w;
        c ^= as_uint(q);
        c = t[3][c & 255] ^ t[2][(c >> 8) & 255] ^ t[1][(c >> 16) & 255] ^ t[0][c >> 24];
    }
    for (; n > 0; n--) {
        a += *p;
        b += a;
        c = t[0][(c ^ *p++) & 255] ^ (c >> 8);
    }
    crc[i] = ~c;
    adler[i] = ((b % 65521) << 16) | (a % 65521);
}
