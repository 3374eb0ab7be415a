// One level of breadth-first search in a random graph in compressed rows: vertices of the current level mark unseen
// neighbours with a byte. The levels so far are found beforehand.
//! kernel bfs_expand
//! global 65536
//! local 256
//! arg degree: buffer uchar 65536 random 0 11
//! arg target: buffer int 720896 random 0 65535
//! arg row: buffer int 65537 zero
//! arg level: buffer int 65536 zero
//! arg queue: buffer int 65536 zero
//! arg mark: buffer uchar 65536 zero
//! arg scanned: buffer int 65536 zero
//! arg depth: int 5
//! prepare 1: degree target row level queue depth

kernel void prepare(global const uchar *degree, global const int *target, global int *row, global int *level,
                    global int *queue, int depth)
{
    row[0] = 0;
    for (int v = 0; v < 65536; v++) {
        row[v + 1] = row[v] + degree[v];
        level[v] = -1;
    }
    int head = 0, tail = 0;
    for (int v = 0; v < 8; v++) {
        level[v * 5000] = 0;
        queue[tail++] = v * 5000;
    }
    while (head < tail) {
        int v = queue[head++];
        if (level[v] == depth)
            break;
        for (int e = row[v]; e < row[v + 1]; e++)
            if (level[target[e]] < 0) {
                level[target[e]] = level[v] + 1;
                queue[tail++] = target[e];
            }
    }
}

kernel void bfs_expand(global const uchar *degree, global const int *target, global const int *row,
                       global const int *level, global const int *queue, global uchar *mark, global int *scanned,
                       int depth)
{
    int v = get_global_id(0);
    int seen = 0;
    if (level[v] == depth) {
        int last = row[v + 1];
        for (int e = row[v]; e < last; e++) {
            int t = target[e];
            if (level[t] < 0) {
                mark[t] = 1;
                seen++;
            }
        }
    }
    scanned[v] = seen;
}
