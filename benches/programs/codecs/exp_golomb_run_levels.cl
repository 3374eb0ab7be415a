// Decodes runs and levels of coefficient blocks from Exp-Golomb codes: they alternate until 16 places are filled, and
// every work-item goes on with its own bit stream over several blocks.
//! kernel run_levels
//! global 4096
//! local 64
//! arg stream: buffer uint 131072 random 0 4294967295
//! arg blocks: buffer short 524288 zero
//! arg nonzero: buffer uchar 32768 zero

typedef struct {
    global const uint *w;
    uint at;
} reader;

static uint show(reader r, uint n)
{
    const uint i = (r.at >> 5) & 31, s = r.at & 31;
    const ulong v = ((ulong)r.w[i] << 32) | r.w[(i + 1) & 31];
    return (uint)(v << s >> (64 - n));
}

static uint ue(reader *r)
{
    const uint zeros = min(clz(show(*r, 16)) - 16, 7u);
    const uint v = show(*r, 2 * zeros + 1);
    r->at += 2 * zeros + 1;
    return v - 1;
}

static int se(reader *r)
{
    const uint k = ue(r);
    return k & 1 ? (int)(k + 1) / 2 : -(int)(k / 2);
}

kernel void run_levels(global const uint *stream, global short *blocks, global uchar *nonzero)
{
    const uint id = get_global_id(0);
    reader r = {stream + id * 32, 0};
    for (uint b = 0; b < 8; b++) {
        short level[16];
        for (int i = 0; i < 16; i++)
            level[i] = 0;
        uint pos = 0, count = 0;
        while (pos < 16) {
            pos += ue(&r) & 15;
            if (pos > 15)
                break;
            const int v = se(&r);
            level[pos++] = v;
            count += v != 0;
        }
        vstore16(vload16(0, level), id * 8 + b, blocks);
        nonzero[id * 8 + b] = count;
    }
}
