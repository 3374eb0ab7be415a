// Window functions over partitions of 256 rows: moving sum, moving minimum by a queue in private memory, and difference
// from three rows before.
//! kernel windows
//! global 2048
//! arg in: buffer int 524288 random -5000 5000
//! arg sums: buffer int 524288 zero
//! arg lows: buffer int 524288 zero
//! arg lags: buffer short 524288 zero
//! arg width: int 16

kernel void windows(global const int *in, global int *sums, global int *lows, global short *lags, int width)
{
    const int base = get_global_id(0) * 256;
    int queue[32];
    uint head = 0, tail = 0;
    int sum = 0;
    for (int i = 0; i < 256; i++) {
        const int v = in[base + i];
        sum += v;
        if (i >= width)
            sum -= in[base + i - width];
        while (tail != head && in[base + queue[(tail - 1) & 31]] >= v)
            tail--;
        queue[tail++ & 31] = i;
        if (queue[head & 31] <= i - width)
            head++;
        sums[base + i] = sum;
        lows[base + i] = in[base + queue[head & 31]];
        lags[base + i] = i >= 3 ? v - in[base + i - 3] : 0;
    }
}
