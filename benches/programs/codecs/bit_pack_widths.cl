// Packs blocks of 32 values with the least sufficient number of bits, found by clz; a switch picks unrolled packers for
// common widths and a general one for others.
//! kernel pack
//! global 131072
//! arg in: buffer uint 4194304 random 0 4294967295
//! arg out: buffer uint 4194304 zero
//! arg widths: buffer uchar 131072 zero

static void pack_any(const uint *v, int w, global uint *o)
{
    ulong acc = 0;
    int have = 0;
    for (int i = 0; i < 32; i++) {
        acc |= (ulong)v[i] << have;
        have += w;
        if (have >= 32) {
            *o++ = (uint)acc;
            acc >>= 32;
            have -= 32;
        }
    }
}

kernel void pack(global const uint *in, global uint *out, global uchar *widths)
{
    const size_t id = get_global_id(0);
    uint v[32], all = 0;
    const uint cut = in[id * 32] & 31;
    for (int i = 0; i < 32; i++) {
        v[i] = in[id * 32 + i] >> cut;
        all |= v[i];
    }
    const int w = 32 - clz(all);
    global uint *o = out + id * 32;
    switch (w) {
    case 0:
        break;
    case 8:
        for (int i = 0; i < 8; i++)
            o[i] = v[4 * i] | v[4 * i + 1] << 8 | v[4 * i + 2] << 16 | v[4 * i + 3] << 24;
        break;
    case 16:
        for (int i = 0; i < 16; i++)
            o[i] = v[2 * i] | v[2 * i + 1] << 16;
        break;
    case 32:
        for (int i = 0; i < 8; i++)
            vstore4(vload4(i, v), i, o);
        break;
    default:
        pack_any(v, w, o);
    }
    widths[id] = w;
}
