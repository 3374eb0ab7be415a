// Tridiagonal systems of 128 unknowns by parallel cyclic reduction: one work-group to a system, coefficients in local
// memory, seven rounds of doubling the distance.
//! kernel pcr
//! global 128 1200
//! local 128 1
//! arg coef: buffer float 614400 random 0.1 1
//! arg x: buffer float 153600 zero

#define N 128

kernel void pcr(global const float4 *coef, global float *x)
{
    local float a[N], b[N], c[N], d[N];
    const int i = get_local_id(0);
    const float4 k = coef[get_group_id(1) * N + i];

    a[i] = i > 0 ? -k.x : 0.0f;
    b[i] = 2.2f + k.y;
    c[i] = i < N - 1 ? -k.z : 0.0f;
    d[i] = k.w;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int step = 1; step < N; step *= 2) {
        const int up = max(i - step, 0);
        const int down = min(i + step, N - 1);
        const float e = a[i] / b[up];
        const float f = c[i] / b[down];
        const float na = -e * (i - step >= 0 ? a[up] : 0.0f);
        const float nc = -f * (i + step < N ? c[down] : 0.0f);
        const float nb = b[i] - e * c[up] - f * a[down];
        const float nd = d[i] - e * d[up] - f * d[down];
        barrier(CLK_LOCAL_MEM_FENCE);
        a[i] = na;
        b[i] = nb;
        c[i] = nc;
        d[i] = nd;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    x[get_group_id(1) * N + i] = d[i] / b[i];
}
