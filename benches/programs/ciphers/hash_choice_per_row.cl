// Hashes each string of a column in the manner of xxHash64, MurmurHash3, SipHash-2-4 or FNV-1a, or not at all, as a
// byte per row says.
//! kernel hash_rows
//! global 30000
//! arg text: buffer uchar 1966080 random 0 255
//! arg kind: buffer uchar 30000 random 0 4
//! arg len: buffer uchar 30000 random 0 63
//! arg out: buffer ulong 30000 zero
//! arg rows: uint 30000

#define Q1 0x9e3779b185ebca87UL
#define Q2 0xc2b2ae3d27d4eb4fUL
#define Q3 0x165667b19e3779f9UL
#define Q4 0x85ebca77c2b2ae63UL
#define Q5 0x27d4eb2f165667c5UL

static uint get32(global const uchar *p) { return p[0] | p[1] << 8 | p[2] << 16 | (uint)p[3] << 24; }
static ulong get64(global const uchar *p) { return get32(p) | (ulong)get32(p + 4) << 32; }

ulong xx64(global const uchar *p, uint n, ulong seed)
{
    ulong h = seed + Q5 + n;
    uint i = 0;
    for (; i + 8 <= n; i += 8)
        h = rotate(h ^ (rotate(get64(p + i) * Q2, 31UL) * Q1), 27UL) * Q1 + Q4;
    if (i + 4 <= n) {
        h = rotate(h ^ (get32(p + i) * Q1), 23UL) * Q2 + Q3;
        i += 4;
    }
    for (; i < n; i++)
        h = rotate(h ^ (p[i] * Q5), 11UL) * Q1;
    h = (h ^ (h >> 33)) * Q2;
    h = (h ^ (h >> 29)) * Q3;
    return h ^ (h >> 32);
}

uint murmur3(global const uchar *p, uint n)
{
    uint h = 42, i = 0, k = 0;
    for (; i + 4 <= n; i += 4)
        h = rotate(h ^ (rotate(get32(p + i) * 0xcc9e2d51u, 15u) * 0x1b873593u), 13u) * 5 + 0xe6546b64u;
    switch (n & 3) {
    case 3: k ^= p[i + 2] << 16;
    case 2: k ^= p[i + 1] << 8;
    case 1: k ^= p[i]; h ^= rotate(k * 0xcc9e2d51u, 15u) * 0x1b873593u;
    }
    h ^= n;
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    return h ^ (h >> 16);
}

#define SIPROUND(n)                                                                     \
    for (int r = 0; r < n; r++) {                                                       \
        v.x += v.y; v.y = rotate(v.y, 13UL) ^ v.x; v.x = rotate(v.x, 32UL);             \
        v.z += v.w; v.w = rotate(v.w, 16UL) ^ v.z;                                      \
        v.x += v.w; v.w = rotate(v.w, 21UL) ^ v.x;                                      \
        v.z += v.y; v.y = rotate(v.y, 17UL) ^ v.z; v.z = rotate(v.z, 32UL);             \
    }

ulong sip(global const uchar *p, uint n)
{
    ulong4 v = (ulong4)(0x736f6d6570736575UL, 0x646f72616e646f6dUL, 0x6c7967656e657261UL, 0x7465646279746573UL);
    uint i = 0;
    for (; i + 8 <= n; i += 8) {
        ulong m = get64(p + i);
        v.w ^= m;
        SIPROUND(2)
        v.x ^= m;
    }
    ulong b = (ulong)n << 56;
    for (uint s = 0; i < n; i++, s += 8)
        b |= (ulong)p[i] << s;
    v.w ^= b;
    SIPROUND(2)
    v.x ^= b;
    v.z ^= 0xff;
    SIPROUND(4)
    return v.x ^ v.y ^ v.z ^ v.w;
}

kernel void hash_rows(global const uchar *text, global const uchar *kind, global const uchar *len, global ulong *out,
                      uint rows)
{
    uint r = get_global_id(0);
    if (r >= rows)
        return;
    global const uchar *p = text + r * 64;
    uint n = len[r];
    ulong h = 0xcbf29ce484222325UL;
    switch (kind[r]) {
    case 0: break;
    case 1: h = xx64(p, n, 7); break;
    case 2: h = murmur3(p, n); break;
    case 3: h = sip(p, n); break;
    default:
        for (uint i = 0; i < n; i++)
            h = (h ^ p[i]) * 0x100000001b3UL;
    }
    out[r] = h;
}
