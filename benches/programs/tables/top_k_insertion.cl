// The eight largest scores with their rows of each stripe, kept sorted in private arrays by insertion, then merged over
// the group in local memory by one work-item.
//! kernel top_k
//! global 4096
//! local 64
//! arg scores: buffer int 524288 random -1000000 1000000
//! arg best: buffer int 512 zero
//! arg rows: buffer int 512 zero
//! arg n: int 524288

#define K 8

static void insert(int *v, int *r, int x, int row)
{
    if (x < v[K - 1] || (x == v[K - 1] && row > r[K - 1]))
        return;
    int i = K - 1;
    while (i > 0 && (v[i - 1] < x || (v[i - 1] == x && r[i - 1] > row))) {
        v[i] = v[i - 1];
        r[i] = r[i - 1];
        i--;
    }
    v[i] = x;
    r[i] = row;
}

kernel void top_k(global const int *scores, global int *best, global int *rows, int n)
{
    local int lv[64 * K], lr[64 * K];
    const int lid = get_local_id(0), group = get_group_id(0), chunk = n / get_num_groups(0);
    int v[K], r[K];
    for (int k = 0; k < K; k++) {
        v[k] = INT_MIN;
        r[k] = INT_MAX;
    }
    for (int i = lid; i < chunk; i += 64)
        insert(v, r, scores[group * chunk + i], group * chunk + i);
    for (int k = 0; k < K; k++) {
        lv[lid * K + k] = v[k];
        lr[lid * K + k] = r[k];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0) {
        for (int i = K; i < 64 * K; i++)
            insert(v, r, lv[i], lr[i]);
        for (int k = 0; k < K; k++) {
            best[group * K + k] = v[k];
            rows[group * K + k] = r[k];
        }
    }
}
