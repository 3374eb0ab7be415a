// Sorts 96 shorts per work-item in a private array by quicksort with its own stack of bytes, insertion sort for short
// ranges, median of three as pivot.
//! kernel sort96
//! global 4096
//! arg in: buffer short 393216 random -32768 32767
//! arg out: buffer short 393216 zero

#define N 96

kernel void sort96(global const short *in, global short *out)
{
    const int base = get_global_id(0) * N;
    short a[N];
    uchar stack[32];
    int top = 0;
    for (int i = 0; i < N; i++)
        a[i] = in[base + i];
    stack[top++] = 0;
    stack[top++] = N - 1;
    while (top > 0) {
        int hi = stack[--top], lo = stack[--top];
        while (hi - lo > 8) {
            const short x = a[lo], y = a[(lo + hi) / 2], z = a[hi];
            const short pivot = max(min(x, y), min(max(x, y), z));
            int i = lo, j = hi;
            while (i <= j) {
                while (a[i] < pivot)
                    i++;
                while (a[j] > pivot)
                    j--;
                if (i <= j) {
                    const short t = a[i];
                    a[i++] = a[j];
                    a[j--] = t;
                }
            }
            if (j - lo < hi - i) {
                stack[top++] = i;
                stack[top++] = hi;
                hi = j;
            } else {
                stack[top++] = lo;
                stack[top++] = j;
                lo = i;
            }
        }
        for (int i = lo + 1; i <= hi; i++) {
            const short t = a[i];
            int j = i;
            for (; j > lo && a[j - 1] > t; j--)
                a[j] = a[j - 1];
            a[j] = t;
        }
    }
    for (int i = 0; i < N; i++)
        out[base + i] = a[i];
}
