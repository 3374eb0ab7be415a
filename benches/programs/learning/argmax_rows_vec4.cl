// Index of the largest element of each row, four lanes at a time with select; equal elements give the first index.
// Lengths of the rows vary.
//! kernel argmax
//! global 3000
//! arg x: buffer float 3000000 random -1 1
//! arg lengths: buffer int 3000 random 700 1000
//! arg index: buffer int 3000 zero
//! arg pitch: int 1000

kernel void argmax(global const float *x, global const int *lengths, global int *index, int pitch)
{
    const int row = get_global_id(0);
    const int n = lengths[row];
    x += row * pitch;
    float4 best = vload4(0, x);
    int4 at = (int4)(0, 1, 2, 3), now = at;

    for (int i = 1; i < n / 4; i++) {
        float4 v = vload4(i, x);
        now += 4;
        int4 more = v > best;
        best = select(best, v, more);
        at = select(at, now, more);
    }

    float b = best.s0;
    int a = at.s0;
    if (best.s1 > b || (best.s1 == b && at.s1 < a)) {
        b = best.s1;
        a = at.s1;
    }
    if (best.s2 > b || (best.s2 == b && at.s2 < a)) {
        b = best.s2;
        a = at.s2;
    }
    if (best.s3 > b || (best.s3 == b && at.s3 < a)) {
        b = best.s3;
        a = at.s3;
    }
    for (int i = n & ~3; i < n; i++) {
        if (x[i] > b) {
            b = x[i];
            a = i;
        }
    }
    index[row] = a;
}
