// Convex hulls of many small point sets by Andrew's monotone chain: insertion sort and hull both live in private arrays
// of short2.
//! kernel hull
//! global 6000
//! local 60
//! arg points: buffer short 288000 random -3000 3000
//! arg size: buffer uchar 6000 zero
//! arg area2: buffer int 6000 zero
//! arg far: buffer short 12000 zero

#define N 24

int turn(short2 o, short2 a, short2 b)
{
    return (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
}

bool before(short2 a, short2 b)
{
    return a.x < b.x || (a.x == b.x && a.y < b.y);
}

kernel void hull(global const short2 *points, global uchar *size, global int *area2, global short2 *far)
{
    int id = get_global_id(0), total = get_global_size(0);
    short2 p[N], h[2 * N];
    for (int i = 0; i < N; i++) {
        short2 v = points[i * total + id];
        int j = i - 1;
        while (j >= 0 && before(v, p[j])) {
            p[j + 1] = p[j];
            j--;
        }
        p[j + 1] = v;
    }
    int k = 0;
    for (int i = 0; i < N; i++) {
        while (k >= 2 && turn(h[k - 2], h[k - 1], p[i]) <= 0)
            k--;
        h[k++] = p[i];
    }
    for (int i = N - 2, low = k + 1; i >= 0; i--) {
        while (k >= low && turn(h[k - 2], h[k - 1], p[i]) <= 0)
            k--;
        h[k++] = p[i];
    }
    int sum = 0, best = -1;
    for (int i = 0; i + 1 < k; i++) {
        sum += h[i].x * h[i + 1].y - h[i].y * h[i + 1].x;
        int dx = h[i].x - h[0].x, dy = h[i].y - h[0].y;
        if (dx * dx + dy * dy > best) {
            best = dx * dx + dy * dy;
            far[id] = h[i];
        }
    }
    size[id] = (uchar)(k - 1);
    area2[id] = sum;
}
