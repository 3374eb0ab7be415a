// Blowfish in the manner of bcrypt: each work-item keeps its own S-boxes in global memory, stirs them with its key
// several times and then enciphers a few blocks.
//! kernel stir
//! global 256
//! local 16
//! arg initial: buffer uint 1042 random 0 4294967295
//! arg keys: buffer uint 4608 random 0 4294967295
//! arg boxes: buffer uint 262144 zero
//! arg out: buffer uint 512 zero
//! arg cost: uint 3

#define FEISTEL(l, r, i)                                                                            \
    l ^= p[i];                                                                                      \
    r ^= ((s[l >> 24] + s[256 + ((l >> 16) & 255)]) ^ s[512 + ((l >> 8) & 255)]) + s[768 + (l & 255)]

static void encipher(uint *lp, uint *rp, const uint *p, global const uint *s)
{
    uint l = *lp, r = *rp;
    for (int i = 0; i < 16; i += 2) {
        FEISTEL(l, r, i);
        FEISTEL(r, l, i + 1);
    }
    *lp = r ^ p[17];
    *rp = l ^ p[16];
}

static void expand(uint *p, global uint *s, const uint *key)
{
    uint l = 0, r = 0;
    for (int i = 0; i < 18; i++)
        p[i] ^= key[i];
    for (int i = 0; i < 18; i += 2) {
        encipher(&l, &r, p, s);
        p[i] = l;
        p[i + 1] = r;
    }
    for (int i = 0; i < 1024; i += 2) {
        encipher(&l, &r, p, s);
        s[i] = l;
        s[i + 1] = r;
    }
}

kernel void stir(global const uint *initial, global const uint *keys, global uint *boxes, global uint *out, uint cost)
{
    const uint gid = get_global_id(0);
    global uint *s = boxes + gid * 1024;
    uint p[18], key[18];
    for (int i = 0; i < 1024; i++)
        s[i] = initial[18 + i];
    for (int i = 0; i < 18; i++) {
        p[i] = initial[i];
        key[i] = keys[gid * 18 + i];
    }
    for (uint c = 0; c < cost; c++)
        expand(p, s, key);
    uint l = 0x4f727068, r = 0x65616e42;
    for (int i = 0; i < 64; i++)
        encipher(&l, &r, p, s);
    out[2 * gid] = l;
    out[2 * gid + 1] = r;
}
