// Viterbi decoding of the K=7 rate 1/2 code with soft bytes: a group of 64 work-items holds the states, metrics in
// local memory with two buffers, decisions as bytes, and one work-item traces back.
//! kernel viterbi
//! global 16384
//! local 64
//! arg soft: buffer uchar 65536 random 0 255
//! arg bits: buffer uchar 32768 zero
//! arg metric: buffer int 256 zero

#define STEPS 128

__attribute__((reqd_work_group_size(64, 1, 1)))
kernel void viterbi(global const uchar *soft, global uchar *bits, global int *metric)
{
    local int m[2][64];
    local uchar decision[STEPS][64];
    const int state = get_local_id(0), frame = get_group_id(0);
    global const uchar *in = soft + frame * 2 * STEPS;
    m[0][state] = state == 0 ? 0 : 1 << 20;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int t = 0; t < STEPS; t++) {
        const int now = t & 1;
        int best = INT_MAX, from = 0;
        for (int d = 0; d < 2; d++) {
            const int prev = ((state << 1) | d) & 63, reg = (state >> 5 << 6) | prev;
            const int a = popcount(reg & 0x6d) & 1, b = popcount(reg & 0x4f) & 1;
            const int cost = (a ? 255 - in[2 * t] : in[2 * t]) + (b ? 255 - in[2 * t + 1] : in[2 * t + 1]);
            const int total = m[now][prev] + cost;
            if (total < best) {
                best = total;
                from = d;
            }
        }
        m[now ^ 1][state] = best;
        decision[t][state] = from;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (state == 0) {
        int s = 0;
        for (int i = 1; i < 64; i++)
            if (m[STEPS & 1][i] < m[STEPS & 1][s])
                s = i;
        metric[frame] = m[STEPS & 1][s];
        for (int t = STEPS - 1; t >= 0; t--) {
            bits[frame * STEPS + t] = s >> 5;
            s = ((s << 1) | decision[t][s]) & 63;
        }
    }
}
