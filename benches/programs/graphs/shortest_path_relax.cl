// One Bellman-Ford round: every edge of a weighted graph, stored as a struct, lowers the tentative distance of its end
// by an atomic minimum.
//! kernel relax
//! global 300000
//! local 64
//! arg raw: buffer uint 900000 random 0 4294967295
//! arg edges: buffer int 900000 zero
//! arg dist: buffer int 50000 random 0 1000
//! arg next: buffer int 50000 zero
//! arg count: int 299977
//! options -cl-std=CL3.0
//! prepare 300000: raw edges dist next

typedef struct {
    int from, to, weight;
} Edge;

kernel void prepare(global const uint *raw, global Edge *edges, global int *dist, global int *next)
{
    int i = get_global_id(0);
    edges[i].from = raw[3 * i] % 50000u;
    edges[i].to = raw[3 * i + 1] % 50000u;
    edges[i].weight = 1 + (raw[3 * i + 2] >> 24);
    if (i < 50000) {
        if (i % 3 != 0)
            dist[i] = INT_MAX;
        next[i] = dist[i];
    }
}

kernel void relax(global const uint *raw, global const Edge *edges, global const int *dist, global int *next, int count)
{
    int i = get_global_id(0);
    if (i >= count)
        return;
    Edge e = edges[i];
    int d = dist[e.from];
    if (d == INT_MAX)
        return;
    int cand = d + e.weight;
    if (cand < next[e.to])
        atomic_min(&next[e.to], cand);
}
