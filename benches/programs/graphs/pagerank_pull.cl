// Pull-style PageRank step on compressed rows: eight work-items share a vertex, stride over its in-edges and add up
// their partial sums in local memory.
//! kernel pagerank
//! global 262144
//! local 64
//! arg degree: buffer uchar 32768 random 1 40
//! arg source: buffer uint 1310720 random 0 32767
//! arg row: buffer uint 32769 zero
//! arg rank: buffer float 32768 random 0 2
//! arg inv_out: buffer float 32768 random 0.02 0.1
//! arg next: buffer float 32768 zero
//! arg damping: float 0.85
//! prepare 1: degree row
//! tolerance 1e-5

#define LANES 8

kernel void prepare(global const uchar *degree, global uint *row)
{
    row[0] = 0;
    for (int v = 0; v < 32768; v++)
        row[v + 1] = row[v] + degree[v];
}

kernel void pagerank(global const uchar *degree, global const uint *source, global const uint *row,
                     global const float *rank, global const float *inv_out, global float *next, float damping)
{
    volatile local float partial[64];
    uint lid = get_local_id(0);
    uint lane = lid & (LANES - 1);
    uint v = get_global_id(0) / LANES;
    float sum = 0.0f;

    for (uint e = row[v] + lane; e < row[v + 1]; e += LANES) {
        uint u = source[e];
        sum += rank[u] * inv_out[u];
    }
    partial[lid] = sum;
    for (uint half_lanes = LANES / 2; half_lanes > 0; half_lanes >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < half_lanes)
            partial[lid] += partial[lid + half_lanes];
    }
    if (lane == 0)
        next[v] = (1.0f - damping) + damping * partial[lid];
}
