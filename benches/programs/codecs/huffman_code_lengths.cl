// Makes Huffman code lengths of many small histograms (32 symbols) by the two-smallest method in private arrays, then
// canonical codes, packed with their lengths.
//! kernel lengths
//! global 2048
//! arg histogram: buffer ushort 65536 random 0 1000
//! arg codes: buffer uint 65536 zero

#define N 32

kernel void lengths(global const ushort *histogram, global uint *codes)
{
    const size_t id = get_global_id(0);
    uint weight[2 * N];
    uchar parent[2 * N], len[N];
    int nodes = N, live = 0;
    for (int i = 0; i < N; i++) {
        weight[i] = histogram[id * N + i];
        len[i] = 0;
        if (weight[i])
            live++;
        else
            weight[i] = UINT_MAX;
    }
    for (; live > 1; live--) {
        int a = -1, b = -1;
        for (int i = 0; i < nodes; i++) {
            if (weight[i] == UINT_MAX)
                continue;
            if (a < 0 || weight[i] < weight[a]) {
                b = a;
                a = i;
            } else if (b < 0 || weight[i] < weight[b]) {
                b = i;
            }
        }
        weight[nodes] = weight[a] + weight[b];
        weight[a] = weight[b] = UINT_MAX;
        parent[a] = parent[b] = nodes++;
    }
    int count[N] = {0};
    for (int i = 0; i < N; i++) {
        if (histogram[id * N + i] == 0)
            continue;
        int n = 0;
        for (int k = i; k != nodes - 1; k = parent[k])
            n++;
        len[i] = n;
        count[n]++;
    }
    uint next[N], code = 0;
    count[0] = 0;
    for (int n = 1; n < N; n++)
        next[n] = code = (code + count[n - 1]) << 1;
    for (int i = 0; i < N; i++)
        codes[id * N + i] = len[i] ? (next[len[i]]++ << 5) | len[i] : 0;
}
