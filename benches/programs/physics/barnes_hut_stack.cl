// Barnes-Hut gravity: each work-item walks an octree of summed masses with a stack in private memory and opens a node
// when it looks too large from its body.
//! kernel bh_walk
//! global 4096
//! local 32
//! arg bodies: buffer float 16384 random 0 1
//! arg nodes: buffer float 18724 zero
//! arg accel: buffer float 16384 zero
//! arg theta2: float 0.49
//! prepare 4681: bodies nodes
//! tolerance 1e-3

#pragma OPENCL FP_CONTRACT OFF

// Levels of 1, 8, 64, 512 and 4096 nodes follow each other; children of node k are 8k+1 .. 8k+8.
float4 node_box(int node)
{
    int level = 0, first = 0, count = 1;
    while (node >= first + count) {
        first += count;
        count *= 8;
        level++;
    }
    int k = node - first;
    float4 box = (float4)(0.0f, 0.0f, 0.0f, 1.0f);
    for (int l = level - 1; l >= 0; l--) {
        int oct = (k >> (3 * l)) & 7;
        box.w *= 0.5f;
        box.xyz += box.w * (float3)(oct & 1, (oct >> 1) & 1, oct >> 2);
    }
    return box;
}

kernel void prepare(global const float4 *bodies, global float4 *nodes)
{
    int node = get_global_id(0);
    float4 box = node_box(node), sum = (float4)(0.0f);
    for (int i = 0; i < 4096; i++) {
        float4 b = bodies[i];
        float3 d = b.xyz - box.xyz;
        if (d.x >= 0 && d.y >= 0 && d.z >= 0 && d.x < box.w && d.y < box.w && d.z < box.w)
            sum += (float4)(b.xyz * b.w, b.w);
    }
    if (sum.w > 0.0f)
        sum.xyz /= sum.w;
    nodes[node] = sum;
}

kernel void bh_walk(global const float4 *bodies, global const float4 *nodes, global float4 *accel, float theta2)
{
    int i = get_global_id(0);
    float4 me = bodies[i];
    float3 acc = (float3)(0.0f);
    int stack[40], top = 0, visited = 0;
    stack[top++] = 0;

    while (top > 0) {
        int k = stack[--top];
        float4 nd = nodes[k];
        visited++;
        if (nd.w == 0.0f)
            continue;
        float4 box = node_box(k);
        float3 c = box.xyz + 0.5f * box.w - me.xyz;
        float far2 = c.x * c.x + c.y * c.y + c.z * c.z;
        if (k >= 585 || box.w * box.w < theta2 * far2) {
            float3 d = nd.xyz - me.xyz;
            float inv = rsqrt(dot(d, d) + 1e-4f);
            acc += d * (nd.w * inv * inv * inv);
        } else {
            for (int o = 1; o <= 8; o++)
                stack[top++] = 8 * k + o;
        }
    }
    accel[i] = (float4)(acc, (float)visited);
}
