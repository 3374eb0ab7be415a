// Looks for the longest earlier match of every position of a block: a single work-item fills hash chains of positions
// in local memory, and all search the last candidates.
//! kernel find
//! global 8192
//! local 64
//! arg data: buffer uchar 131072 random 97 100
//! arg length: buffer uchar 131072 zero
//! arg dist: buffer ushort 131072 zero

#define BLOCK 1024

kernel void find(global const uchar *data, global uchar *length, global ushort *dist)
{
    local uchar text[BLOCK];
    local short chain[BLOCK], head[256];
    const int lid = get_local_id(0);
    const size_t base = get_group_id(0) * BLOCK;
    vstore16(vload16(lid, data + base), lid, text);
    for (int i = lid; i < 256; i += 64)
        head[i] = -1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0)
        for (int i = 0; i + 3 < BLOCK; i++) {
            uint h = (text[i] | text[i + 1] << 8 | text[i + 2] << 16) * 2654435761u >> 24;
            chain[i] = head[h];
            head[h] = i;
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = lid; i < BLOCK; i += 64) {
        int best = 0, where = 0;
        if (i + 3 < BLOCK) {
            int limit = min(255, BLOCK - i);
            int tries = 8;
            for (int c = chain[i]; c >= 0 && tries > 0; c = chain[c], tries--) {
                if (text[c + best] != text[i + best])
                    continue;
                int n = 0;
                while (n < limit && text[c + n] == text[i + n])
                    n++;
                if (n > best) {
                    best = n;
                    where = i - c;
                    if (n == limit)
                        break;
                }
            }
        }
        length[base + i] = best >= 3 ? best : 0;
        dist[base + i] = best >= 3 ? where : 0;
    }
}
