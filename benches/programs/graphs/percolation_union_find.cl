// Site percolation: each work-group labels the clusters of a 32 x 32 tile by union-find in local memory with atomic
// minima, so a cluster's label is its lowest cell.
//! kernel percolate
//! global 1024 128
//! local 32 8
//! arg open: buffer uchar 524288 random 0 99
//! arg label: buffer short 524288 zero
//! arg threshold: int 58

#define T 32

int find_root(local volatile int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i];
    return i;
}

void unite(local volatile int *parent, int a, int b)
{
    for (;;) {
        a = find_root(parent, a);
        b = find_root(parent, b);
        if (a == b)
            return;
        int hi = max(a, b), lo = min(a, b);
        int old = atomic_min(&parent[hi], lo);
        if (old == hi)
            return;
        a = old;
        b = lo;
    }
}

kernel void percolate(global const uchar *open, global short *label, int threshold)
{
    local int parent[T * T];
    local uchar site[T * T];
    int lx = get_local_id(0), ly = get_local_id(1);
    int tile = get_group_id(1) * get_num_groups(0) + get_group_id(0);

    for (int y = ly; y < T; y += 8) {
        int i = y * T + lx;
        site[i] = open[tile * T * T + i] < threshold;
        parent[i] = i;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int y = ly; y < T; y += 8) {
        int i = y * T + lx;
        if (!site[i])
            continue;
        if (lx > 0 && site[i - 1])
            unite(parent, i, i - 1);
        if (y > 0 && site[i - T])
            unite(parent, i, i - T);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int y = ly; y < T; y += 8) {
        int i = y * T + lx;
        label[tile * T * T + i] = site[i] ? (short)find_root(parent, i) : (short)-1;
    }
}
