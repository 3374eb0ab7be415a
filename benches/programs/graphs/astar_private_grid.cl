// A* on many small mazes: each work-item searches a 16 x 16 grid of bits from corner to corner, with its heap of open
// cells and its costs in private arrays.
//! kernel astar
//! global 1536
//! local 32
//! arg walls_a: buffer ushort 24576 random 0 65535
//! arg walls_b: buffer ushort 24576 random 0 65535
//! arg cost: buffer int 1536 zero
//! arg expanded: buffer int 1536 zero

#define N 16

void push(ushort *heap, int *size, ushort key)
{
    int i = (*size)++;
    while (i > 0 && heap[(i - 1) / 2] > key) {
        heap[i] = heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap[i] = key;
}

ushort pop(ushort *heap, int *size)
{
    ushort first = heap[0], last = heap[--(*size)];
    int i = 0, n = *size;
    while (2 * i + 1 < n) {
        int c = 2 * i + 1;
        if (c + 1 < n && heap[c + 1] < heap[c])
            c++;
        if (heap[c] >= last)
            break;
        heap[i] = heap[c];
        i = c;
    }
    heap[i] = last;
    return first;
}

kernel void astar(global const ushort *walls_a, global const ushort *walls_b, global int *cost, global int *expanded)
{
    int id = get_global_id(0);
    ushort wall[N], heap[4 * N * N];
    uchar g[N * N];
    for (int y = 0; y < N; y++)
        wall[y] = walls_a[id * N + y] & walls_b[id * N + y];
    wall[0] &= (ushort)~1;
    wall[N - 1] &= 0x7fff;
    for (int i = 0; i < N * N; i++)
        g[i] = 255;

    int size = 0, count = 0, result = -1;
    g[0] = 0;
    push(heap, &size, 30 << 8);
    while (size > 0) {
        int c = pop(heap, &size) & 255;
        count++;
        if (c == N * N - 1) {
            result = g[c];
            break;
        }
        int x = c % N, y = c / N;
        for (int d = 0; d < 4; d++) {
            int nx = x + (d == 0) - (d == 1), ny = y + (d == 2) - (d == 3);
            if (nx < 0 || ny < 0 || nx >= N || ny >= N || ((wall[ny] >> nx) & 1))
                continue;
            int to = ny * N + nx, step = g[c] + 1;
            if (step < g[to]) {
                g[to] = (uchar)step;
                push(heap, &size, (ushort)((step + (N - 1 - nx) + (N - 1 - ny)) << 8 | to));
            }
        }
    }
    cost[id] = result;
    expanded[id] = count;
}
