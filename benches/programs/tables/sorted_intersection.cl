// Intersects pairs of sorted lists, by galloping if one is much shorter and by a merge otherwise; writes common values
// and their number.
//! kernel intersect
//! global 4096
//! local 32
//! arg gaps: buffer uchar 524288 random 1 12
//! arg lengths: buffer uchar 8192 random 2 64
//! arg common: buffer ushort 262144 zero
//! arg count: buffer uchar 4096 zero
//! arg lists: buffer ushort 524288 zero
//! prepare 8192: gaps lists

kernel void prepare(global const uchar *gaps, global ushort *lists)
{
    const uint l = get_global_id(0);
    ushort x = 0;
    for (int i = 0; i < 64; i++)
        lists[l * 64 + i] = x += gaps[l * 64 + i];
}

kernel void intersect(global const uchar *gaps, global const uchar *lengths, global ushort *common, global uchar *count,
                      global const ushort *lists)
{
    const uint id = get_global_id(0);
    global const ushort *a = lists + id * 128, *b = a + 64;
    int na = lengths[2 * id], nb = lengths[2 * id + 1], n = 0;
    if (na > nb) {
        global const ushort *t = a;
        a = b;
        b = t;
        int k = na;
        na = nb;
        nb = k;
    }
    global ushort *out = common + id * 64;
    if (na * 6 < nb) {
        int from = 0;
        for (int i = 0; i < na; i++) {
            int step = 1;
            while (from + step < nb && b[from + step] < a[i])
                step *= 2;
            int lo = from + step / 2, hi = min(from + step, nb - 1);
            while (lo < hi) {
                const int mid = (lo + hi) / 2;
                if (b[mid] < a[i])
                    lo = mid + 1;
                else
                    hi = mid;
            }
            from = lo;
            if (b[lo] == a[i])
                out[n++] = a[i];
        }
    } else {
        int i = 0, j = 0;
        while (i < na && j < nb) {
            if (a[i] == b[j])
                out[n++] = a[i];
            const int step_a = a[i] <= b[j], step_b = b[j] <= a[i];
            i += step_a;
            j += step_b;
        }
    }
    count[id] = n;
}
