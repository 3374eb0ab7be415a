// PBKDF2 with HMAC-SHA1: each work-item derives 20 bytes from one password and a common salt. The inner and outer pads
// are hashed once, the rounds use only two compressions each.
//! kernel pbkdf2
//! global 2048
//! local 32
//! arg passwords: buffer uint 32768 random 0 4294967295
//! arg salt: buffer uint 4 random 0 4294967295
//! arg keys: buffer uint 10240 zero
//! arg rounds: uint 24

typedef struct { uint h[5]; } sha1_state;

#define ROL(x, n) rotate((x), (uint)(n))

static void sha1_compress(sha1_state *s, uint *w)
{
    uint a = s->h[0], b = s->h[1], c = s->h[2], d = s->h[3], e = s->h[4], t;
#define ROUND(f, k, wi)                      \
    t = ROL(a, 5) + (f) + e + (k) + (wi);    \
    e = d; d = c; c = ROL(b, 30); b = a; a = t
#define EXPAND(i) \
    (w[(i) & 15] = ROL(w[((i) + 13) & 15] ^ w[((i) + 8) & 15] ^ w[((i) + 2) & 15] ^ w[(i) & 15], 1))
    int i;
    for (i = 0; i < 16; i++) { ROUND(bitselect(d, c, b), 0x5a827999, w[i]); }
    for (; i < 20; i++) { ROUND(bitselect(d, c, b), 0x5a827999, EXPAND(i)); }
    for (; i < 40; i++) { ROUND(b ^ c ^ d, 0x6ed9eba1, EXPAND(i)); }
    for (; i < 60; i++) { ROUND((b & c) | (d & (b | c)), 0x8f1bbcdc, EXPAND(i)); }
    for (; i < 80; i++) { ROUND(b ^ c ^ d, 0xca62c1d6, EXPAND(i)); }
    s->h[0] += a; s->h[1] += b; s->h[2] += c; s->h[3] += d; s->h[4] += e;
}

static sha1_state sha1_init(void)
{
    sha1_state s = {{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}};
    return s;
}

static void finish20(sha1_state *s, const uint *five, sha1_state start)
{
    uint w[16];
    for (int i = 0; i < 5; i++)
        w[i] = five[i];
    w[5] = 0x80000000;
    for (int i = 6; i < 15; i++)
        w[i] = 0;
    w[15] = (64 + 20) * 8;
    *s = start;
    sha1_compress(s, w);
}

kernel void pbkdf2(global const uint *passwords, constant uint *salt, global uint *keys, uint rounds)
{
    const size_t gid = get_global_id(0);
    uint w[16];
    sha1_state inner = sha1_init(), outer = sha1_init(), tmp;
    for (int i = 0; i < 16; i++)
        w[i] = passwords[gid * 16 + i] ^ 0x36363636;
    sha1_compress(&inner, w);
    for (int i = 0; i < 16; i++)
        w[i] = passwords[gid * 16 + i] ^ 0x5c5c5c5c;
    sha1_compress(&outer, w);

    for (int i = 0; i < 4; i++)
        w[i] = salt[i];
    w[4] = 1;
    w[5] = 0x80000000;
    for (int i = 6; i < 15; i++)
        w[i] = 0;
    w[15] = (64 + 20) * 8;
    tmp = inner;
    sha1_compress(&tmp, w);
    finish20(&tmp, tmp.h, outer);
    sha1_state acc = tmp;
    for (uint r = 1; r < rounds; r++) {
        finish20(&tmp, tmp.h, inner);
        finish20(&tmp, tmp.h, outer);
        for (int i = 0; i < 5; i++)
            acc.h[i] ^= tmp.h[i];
    }
    for (int i = 0; i < 5; i++)
        keys[gid * 5 + i] = acc.h[i];
}
