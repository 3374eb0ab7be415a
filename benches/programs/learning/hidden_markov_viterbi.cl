// Viterbi decoding of hidden Markov chains with 16 states: sixteen work-items carry one sequence, scores turn over in
// local memory, and one of them walks the back-pointers.
//! kernel viterbi
//! global 16 1024
//! local 16 4
//! arg obs: buffer uchar 65536 random 0 7
//! arg trans: buffer float 256 random -6 -1
//! arg emit: buffer float 128 random -5 -0.5
//! arg path: buffer uchar 65536 zero
//! arg score: buffer float 1024 zero

#define S 16
#define LEN 64
#define PER_GROUP 4

kernel void viterbi(global const uchar *obs, constant float *trans, constant float *emit, global uchar *path,
                    global float *score)
{
    local float v[2][PER_GROUP][S];
    local uchar back[PER_GROUP][LEN][S];
    int s = get_local_id(0), w = get_local_id(1);
    int seq = get_global_id(1);

    v[0][w][s] = emit[s * 8 + obs[seq * LEN]];
    for (int t = 1; t < LEN; t++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        float best = -INFINITY;
        int from = 0;
        for (int p = 0; p < S; p++) {
            float c = v[(t - 1) & 1][w][p] + trans[p * S + s];
            if (c > best) {
                best = c;
                from = p;
            }
        }
        v[t & 1][w][s] = best + emit[s * 8 + obs[seq * LEN + t]];
        back[w][t][s] = (uchar)from;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (s == 0) {
        int at = 0;
        for (int p = 1; p < S; p++)
            if (v[(LEN - 1) & 1][w][p] > v[(LEN - 1) & 1][w][at])
                at = p;
        score[seq] = v[(LEN - 1) & 1][w][at];
        for (int t = LEN - 1; t > 0; t--) {
            path[seq * LEN + t] = (uchar)at;
            at = back[w][t][at];
        }
        path[seq * LEN] = (uchar)at;
    }
}
