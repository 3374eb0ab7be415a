// Global alignment scores of pairs of DNA strings: a work-group of 64 sweeps the diagonals of one 64 x 128 matrix,
// keeping three diagonals of shorts in local memory.
//! kernel align
//! global 32768
//! local 64
//! arg query: buffer uchar 32768 random 0 3
//! arg subject: buffer uchar 65536 random 0 3
//! arg score: buffer short 512 zero
//! arg best: buffer short 32768 zero
//! arg gap: short 2

#define Q 64
#define S 128

kernel void align(global const uchar *query, global const uchar *subject, global short *score, global short *best,
                  short gap)
{
    local short d0[Q + 1], d1[Q + 1], d2[Q + 1];
    local uchar text[S];
    local short *prev2 = d0, *prev = d1, *cur = d2;
    int i = get_local_id(0);
    int pair = get_group_id(0);
    uchar mine = query[pair * Q + i];
    short top = SHRT_MIN;

    text[i] = subject[pair * S + i];
    text[i + Q] = subject[pair * S + i + Q];
    if (i == 0) {
        prev2[0] = 0;
        prev[0] = -gap;
    }
    prev[1 + i] = -gap * (i + 1);
    prev2[1 + i] = -gap * (i + 1);
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int d = 0; d < Q + S - 1; d++) {
        int j = d - i;
        if (j >= 0 && j < S) {
            short up_left = j == 0 ? (short)(-gap * i) : prev2[i];
            short up = prev[i], left = j == 0 ? (short)(-gap * (i + 1)) : prev[i + 1];
            if (i == 0) {
                up_left = -gap * j;
                up = -gap * (j + 1);
            }
            short v = up_left + (mine == text[j] ? 3 : -1);
            v = max(v, (short)(max(up, left) - gap));
            cur[i + 1] = v;
            top = max(top, v);
            if (i == Q - 1 && j == S - 1)
                score[pair] = v;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        local short *t = prev2;
        prev2 = prev;
        prev = cur;
        cur = t;
    }
    best[get_global_id(0)] = top;
}
