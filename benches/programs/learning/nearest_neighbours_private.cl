// The eight nearest neighbours by insertion into private arrays: each query walks over all points, whose coordinates
// are ints so that ties are decided by the order.
//! kernel knn
//! global 1024
//! local 32
//! arg queries: buffer short 4096 random -1000 1000
//! arg points: buffer short 4800 random -1000 1000
//! arg index: buffer int 8192 zero
//! arg dist: buffer int 8192 zero
//! arg n: int 1200

#define K 8

kernel void knn(global const short4 *queries, global const short4 *points, global int *index, global int *dist, int n)
{
    int q = get_global_id(0);
    int4 a = convert_int4(queries[q]);
    int best[K], ids[K];

    for (int i = 0; i < K; i++) {
        best[i] = INT_MAX;
        ids[i] = -1;
    }
    for (int p = 0; p < n; p++) {
        int4 d = a - convert_int4(points[p]);
        d *= d;
        int dd = d.x + d.y + d.z + d.w;
        if (dd >= best[K - 1])
            continue;
        int slot = K - 1;
        while (slot > 0 && best[slot - 1] > dd) {
            best[slot] = best[slot - 1];
            ids[slot] = ids[slot - 1];
            slot--;
        }
        best[slot] = dd;
        ids[slot] = p;
    }
    for (int i = 0; i < K; i++) {
        index[q * K + i] = ids[i];
        dist[q * K + i] = best[i];
    }
}
