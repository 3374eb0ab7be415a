// Static rANS with byte renormalisation, two interleaved states; the slot table of 1024 entries is built in local
// memory from the frequencies. Whatever bytes come are decodable, so the stream is plain noise.
//! kernel rans
//! global 1024
//! local 32
//! arg stream: buffer uchar 1048576 random 0 255
//! arg weights: buffer uchar 64 random 1 255
//! arg out: buffer uchar 786432 zero
//! arg used: buffer ushort 1024 zero
//! arg symbols: int 768

#define SCALE 10
#define LOW (1u << 15)

typedef struct {
    ushort start, freq;
} symbol;

kernel void rans(global const uchar *stream, constant uchar *weights, global uchar *out, global ushort *used,
                 int symbols)
{
    local symbol sym[64];
    local uchar slot[1 << SCALE];
    const int lid = get_local_id(0), gid = get_global_id(0);
    if (lid == 0) {
        int total = 0, at = 0;
        for (int s = 0; s < 64; s++)
            total += weights[s];
        for (int s = 0; s < 64; s++) {
            int f = s == 63 ? (1 << SCALE) - at : max(1, weights[s] * 900 / total);
            sym[s].start = at;
            sym[s].freq = f;
            at += f;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = lid; s < 64; s += 32)
        for (int i = 0; i < sym[s].freq; i++)
            slot[sym[s].start + i] = s;
    barrier(CLK_LOCAL_MEM_FENCE);

    global const uchar *p = stream + gid * 1024;
    uint at = 4, x[2] = {p[0] << 8 | p[1] | LOW, p[2] << 8 | p[3] | LOW};
    for (int i = 0; i < symbols; i++) {
        const uint c = x[i & 1] & ((1 << SCALE) - 1);
        const uchar s = slot[c];
        uint v = sym[s].freq * (x[i & 1] >> SCALE) + c - sym[s].start;
        while (v < LOW)
            v = (v << 8) | p[at++ & 1023];
        x[i & 1] = v;
        out[gid * symbols + i] = s;
    }
    used[gid] = at;
}
