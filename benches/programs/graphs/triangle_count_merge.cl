// Counts the triangles at every vertex by merging sorted neighbour lists of 16 entries; a merge stops where either list
// ends, so work differs from work-item to work-item.
//! kernel triangles
//! global 16384
//! arg gaps: buffer uchar 262144 random 1 9
//! arg adj: buffer int 262144 zero
//! arg count: buffer int 16384 zero
//! prepare 16384: gaps adj

#define DEG 16

kernel void prepare(global const uchar *gaps, global int *adj)
{
    int v = get_global_id(0);
    int at = v;
    for (int k = 0; k < DEG; k++) {
        at += gaps[v * DEG + k];
        adj[v * DEG + k] = at;
    }
}

int intersect(global const int *a, global const int *b, int na, int nb)
{
    int i = 0, j = 0, common = 0;
    while (i < na && j < nb) {
        int x = a[i], y = b[j];
        if (x == y) {
            common++;
            i++;
            j++;
        } else if (x < y) {
            i++;
        } else {
            j++;
        }
    }
    return common;
}

kernel void triangles(global const uchar *gaps, global const int *adj, global int *count)
{
    int v = get_global_id(0);
    int n = get_global_size(0);
    global const int *mine = adj + v * DEG;
    int total = 0;
    for (int k = 0; k < DEG; k++) {
        int u = mine[k];
        if (u >= n)
            break;
        total += intersect(mine + k + 1, adj + u * DEG, DEG - k - 1, DEG);
    }
    count[v] = total;
}
