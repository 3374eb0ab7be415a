// Merges two sorted columns of longs: every work-item finds its diagonal by binary search and merges 16 values.
//! kernel merge
//! global 16384
//! local 64
//! arg noise: buffer uint 262144 random 0 60
//! arg a: buffer long 131072 zero
//! arg b: buffer long 131072 zero
//! arg out: buffer long 262144 zero
//! arg na: int 131072
//! arg nb: int 131072
//! prepare 1: noise a b

kernel void prepare(global const uint *noise, global long *a, global long *b)
{
    long x = -4000000, y = -4000000;
    for (int i = 0; i < 131072; i++) {
        a[i] = x += noise[i];
        b[i] = y += noise[131072 + i];
    }
}

kernel void merge(global const uint *noise, global const long *a, global const long *b, global long *out, int na,
                  int nb)
{
    const int diagonal = get_global_id(0) * 16;
    int lo = max(0, diagonal - nb), hi = min(diagonal, na);
    while (lo < hi) {
        const int mid = (lo + hi) >> 1;
        if (a[mid] <= b[diagonal - 1 - mid])
            lo = mid + 1;
        else
            hi = mid;
    }
    int i = lo, j = diagonal - lo;
    for (int k = 0; k < 16; k++) {
        if (i < na && (j >= nb || a[i] <= b[j]))
            out[diagonal + k] = a[i++];
        else
            out[diagonal + k] = b[j++];
    }
}
