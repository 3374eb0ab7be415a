// Nearest neighbours in a balanced k-d tree of 4095 points stored as a heap; each query descends and returns through a
// private stack of postponed branches.
//! kernel nearest
//! global 32768
//! local 64
//! arg points: buffer float 16380 random 0 1
//! arg tree: buffer float 16380 zero
//! arg work: buffer int 4095 zero
//! arg query: buffer float 131072 random 0 1
//! arg found: buffer int 32768 zero
//! arg dist: buffer float 32768 zero
//! prepare 1: points tree work
//! tolerance 1e-5

#pragma OPENCL FP_CONTRACT OFF
#define N 4095

kernel void prepare(global const float *points, global float *tree, global int *work)
{
    for (int i = 0; i < N; i++)
        work[i] = i;
    for (int level = 0; level < 12; level++) {
        int nodes = 1 << level, size = (N + 1) / nodes - 1, axis = level % 3;
        for (int k = 0; k < nodes; k++) {
            global int *seg = work + k * (size + 1);
            for (int gap = 2047; gap > 0; gap = gap == 2 ? 1 : gap * 4 / 9)
                for (int i = gap; i < size; i++) {
                    int it = seg[i], j = i;
                    for (; j >= gap && points[4 * seg[j - gap] + axis] > points[4 * it + axis]; j -= gap)
                        seg[j] = seg[j - gap];
                    seg[j] = it;
                }
            for (int d = 0; d < 3; d++)
                tree[4 * (nodes - 1 + k) + d] = points[4 * seg[size / 2] + d];
            tree[4 * (nodes - 1 + k) + 3] = (float)seg[size / 2];
        }
    }
}

kernel void nearest(global const float *points, global const float4 *tree, global const int *work,
                    global const float4 *query, global int *found, global float *dist)
{
    int id = get_global_id(0);
    float q[3] = {query[id].x, query[id].y, query[id].z};
    int stack[16], sp = 0, k = 0, level = 0, best_id = -1;
    float gap2[16], best = 10.0f;

    for (;;) {
        while (k < N) {
            float4 n = tree[k];
            float c[3] = {n.x, n.y, n.z};
            float dx = q[0] - c[0], dy = q[1] - c[1], dz = q[2] - c[2];
            float d2 = dx * dx + dy * dy + dz * dz;
            if (d2 < best) {
                best = d2;
                best_id = (int)n.w;
            }
            float side = q[level % 3] - c[level % 3];
            int near_child = 2 * k + (side < 0.0f ? 1 : 2);
            gap2[sp] = side * side;
            stack[sp++] = (4 * k + 3 - near_child) << 4 | (level + 1);
            k = near_child;
            level++;
        }
        while (sp > 0 && gap2[sp - 1] >= best)
            sp--;
        if (sp == 0)
            break;
        k = stack[--sp] >> 4;
        level = stack[sp] & 15;
    }
    found[id] = best_id;
    dist[id] = best;
}
