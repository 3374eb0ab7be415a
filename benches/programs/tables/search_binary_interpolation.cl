// Looks up keys in a sorted column both by binary search without branches and by interpolation; writes the lower bound
// and the number of steps that interpolation took.
//! kernel lookup
//! global 131072
//! arg gaps: buffer uchar 65536 random 1 60
//! arg sorted: buffer uint 65536 zero
//! arg queries: buffer uint 131072 random 0 2000000
//! arg lower: buffer int 131072 zero
//! arg steps: buffer uchar 131072 zero
//! arg n: int 65536
//! prepare 1: gaps sorted

kernel void prepare(global const uchar *gaps, global uint *sorted)
{
    uint x = 0;
    for (int i = 0; i < 65536; i++)
        sorted[i] = x += gaps[i];
}

kernel void lookup(global const uchar *gaps, global const uint *sorted, global const uint *queries, global int *lower,
                   global uchar *steps, int n)
{
    const size_t id = get_global_id(0);
    const uint q = queries[id];
    int base = 0;
    for (int len = n; len > 1; len -= len / 2)
        base += sorted[base + len / 2 - 1] < q ? len / 2 : 0;
    base += sorted[base] < q;
    int lo = 0, hi = n - 1, work = 0;
    while (lo <= hi && q >= sorted[lo] && q <= sorted[hi]) {
        const uint a = sorted[lo], b = sorted[hi];
        const int mid = a == b ? lo : lo + (int)((ulong)(q - a) * (uint)(hi - lo) / (b - a));
        work++;
        if (sorted[mid] == q)
            break;
        if (sorted[mid] < q)
            lo = mid + 1;
        else
            hi = mid - 1;
    }
    lower[id] = base;
    steps[id] = work;
}
