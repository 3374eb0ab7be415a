// Product of complex float matrices, A times the conjugate transpose of B, with 8 x 8 tiles in local memory.
//! kernel cgemm
//! global 160 160
//! local 8 8
//! arg a: buffer float 38400 random -1 1
//! arg b: buffer float 38400 random -1 1
//! arg c: buffer float 51200 zero
//! arg k: int 120

#define TS 8

inline float2 cmul_conj(float2 p, float2 q)
{
    return (float2)(p.x * q.x + p.y * q.y, p.y * q.x - p.x * q.y);
}

kernel void cgemm(global const float2 *a, global const float2 *b, global float2 *c, int k)
{
    local float2 as[TS][TS], bs[TS][TS + 1];
    int lx = get_local_id(0), ly = get_local_id(1);
    int col = get_global_id(0), row = get_global_id(1);
    float2 sum = (float2)(0.0f, 0.0f);

    for (int t = 0; t < k; t += TS) {
        as[ly][lx] = a[row * k + t + lx];
        bs[lx][ly] = b[(get_group_id(0) * TS + ly) * k + t + lx];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < TS; i++)
            sum += cmul_conj(as[ly][i], bs[i][lx]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * get_global_size(0) + col] = sum;
}
