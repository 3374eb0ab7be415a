// Each work-item sorts eight runs of 16 ints by insertion, then merges them with a heap of (value, run) packed in
// longs.
//! kernel merge_runs
//! global 2048
//! local 32
//! arg in: buffer int 262144 random -2147483648 2147483647
//! arg out: buffer int 262144 zero

static void sift(long *heap, int n, int i)
{
    const long v = heap[i];
    for (;;) {
        int c = 2 * i + 1;
        if (c >= n)
            break;
        if (c + 1 < n && heap[c + 1] < heap[c])
            c++;
        if (heap[c] >= v)
            break;
        heap[i] = heap[c];
        i = c;
    }
    heap[i] = v;
}

kernel void merge_runs(global const int *in, global int *out)
{
    const size_t base = get_global_id(0) * 128;
    int runs[8][16];
    uchar at[8];
    long heap[8];
    for (int r = 0; r < 8; r++) {
        for (int i = 0; i < 16; i++) {
            const int v = in[base + r * 16 + i];
            int j = i;
            while (j > 0 && runs[r][j - 1] > v) {
                runs[r][j] = runs[r][j - 1];
                j--;
            }
            runs[r][j] = v;
        }
        at[r] = 1;
        heap[r] = (long)runs[r][0] * 8 + r;
    }
    int n = 8;
    for (int i = 3; i >= 0; i--)
        sift(heap, n, i);
    for (int o = 0; o < 128; o++) {
        const int r = heap[0] & 7;
        out[base + o] = (int)(heap[0] >> 3);
        if (at[r] < 16)
            heap[0] = (long)runs[r][at[r]++] * 8 + r;
        else
            heap[0] = heap[--n];
        sift(heap, n, 0);
    }
}
