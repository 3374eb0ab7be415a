// Traces rays through a bounding volume hierarchy over 2048 spheres, built beforehand as an implicit binary tree;
// nearer children go last on a private stack.
//! kernel trace
//! global 256 192
//! local 16 4
//! arg seeds: buffer float 8192 random 0.1 0.9
//! arg nodes: buffer float 32760 zero
//! arg depth: buffer float 49152 zero
//! arg info: buffer ushort 98304 zero
//! prepare 1: seeds nodes
//! tolerance 1e-3

#pragma OPENCL FP_CONTRACT OFF
#define LEAVES 2048

typedef struct {
    float4 lo, hi;
} Node;

kernel void prepare(global const float4 *seeds, global Node *nodes)
{
    for (int i = 0; i < LEAVES; i++) {
        int cell[3] = {0, 0, 0};
        for (int b = 0; b < 12; b++)
            cell[b % 3] |= ((i >> b) & 1) << (b / 3);
        float4 s = seeds[i], r = (float4)((float3)(0.5f * s.w), 0.0f);
        float4 c = (float4)(cell[0] + s.x, cell[1] + s.y, cell[2] + s.z, 0.0f);
        nodes[LEAVES - 1 + i].lo = c - r;
        nodes[LEAVES - 1 + i].hi = c + r;
    }
    for (int k = LEAVES - 2; k >= 0; k--) {
        nodes[k].lo = fmin(nodes[2 * k + 1].lo, nodes[2 * k + 2].lo);
        nodes[k].hi = fmax(nodes[2 * k + 1].hi, nodes[2 * k + 2].hi);
    }
}

float enter_box(global const Node *n, float4 o, float4 inv, float limit)
{
    float4 a = (n->lo - o) * inv, b = (n->hi - o) * inv;
    float4 lo = fmin(a, b), hi = fmax(a, b);
    float t0 = fmax(fmax(lo.x, lo.y), fmax(lo.z, 0.0f));
    float t1 = fmin(fmin(hi.x, hi.y), fmin(hi.z, limit));
    return t0 <= t1 ? t0 : INFINITY;
}

float dot3(float4 a, float4 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

kernel void trace(global const float4 *seeds, global const Node *nodes, global float *depth, global ushort2 *info)
{
    int px = get_global_id(0), py = get_global_id(1), pix = py * get_global_size(0) + px;
    float4 inv = (float4)(4.0f + 0.03125f * px, -3.0f - 0.03125f * py, 1.0f, 1.0f);
    float4 o = (float4)(px * 0.03125f, 16.0f - py * 0.0625f, -2.0f, 0.0f);
    float4 dir = 1.0f / inv;
    float dd = dot3(dir, dir), best = 100.0f;
    int id = 0, visits = 0, sp = 0;
    ushort stack[24];
    stack[sp++] = 0;

    while (sp > 0) {
        int k = stack[--sp];
        visits++;
        if (k >= LEAVES - 1) {
            float4 c = 0.5f * (nodes[k].lo + nodes[k].hi) - o;
            float r = 0.5f * (nodes[k].hi.x - nodes[k].lo.x), b = dot3(c, dir);
            float q = b * b - dd * (dot3(c, c) - r * r);
            float t = (b - sqrt(fmax(q, 0.0f))) / dd;
            if (q > 0.0f && t > 0.0f && t < best) {
                best = t;
                id = k - LEAVES + 2;
            }
            continue;
        }
        float a = enter_box(nodes + 2 * k + 1, o, inv, best);
        float b = enter_box(nodes + 2 * k + 2, o, inv, best);
        int first = a <= b ? 2 * k + 1 : 2 * k + 2;
        if (fmax(a, b) < best)
            stack[sp++] = 4 * k + 3 - first;
        if (fmin(a, b) < best)
            stack[sp++] = first;
    }
    depth[pix] = best;
    info[pix] = (ushort2)(id, visits);
}
