// Picks a token by top-k sampling: the work-group finds the 40 largest logits one by one with a reduction in local
// memory, then the first work-item draws by a hash.
//! kernel sample_topk
//! global 128 96
//! local 128 1
//! arg logits: buffer int 196608 random -800000 800000
//! arg token: buffer int 96 zero
//! arg kept: buffer int 3840 zero
//! arg vocab: int 2048
//! arg seed: uint 12345

#define WG 128
#define TOPK 40

kernel void sample_topk(global const int *logits, global int *token, global int *kept, int vocab, uint seed)
{
    local int value[WG], index[WG];
    local int top[TOPK];
    int lid = get_local_id(0), row = get_group_id(1);
    logits += row * vocab;
    int last = INT_MAX, last_index = -1;

    for (int k = 0; k < TOPK; k++) {
        int best = INT_MIN, at = vocab;
        for (int i = lid; i < vocab; i += WG) {
            int v = logits[i];
            bool below = v < last || (v == last && i > last_index);
            if (below && v > best) {
                best = v;
                at = i;
            }
        }
        value[lid] = best;
        index[lid] = at;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int s = WG / 2; s > 0; s /= 2) {
            if (lid < s && (value[lid + s] > value[lid] ||
                            (value[lid + s] == value[lid] && index[lid + s] < index[lid]))) {
                value[lid] = value[lid + s];
                index[lid] = index[lid + s];
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        last = value[0];
        last_index = index[0];
        if (lid == 0)
            kept[row * TOPK + k] = top[k] = last_index;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) {
        uint r = (seed ^ row * 0x9e3779b9u) * 0x85ebca6bu;
        r ^= r >> 13;
        token[row] = top[r % TOPK];
    }
}
