// Rank-one update of a matrix by an outer product together with the norms of the new rows: L1, L2 and largest
// magnitude, a work-item to a row.
//! kernel rank_one_norms
//! global 6000
//! local 50
//! arg a: buffer float 3600000 random -1 1
//! arg u: buffer float 6000 random -1 1
//! arg v: buffer float 600 random -1 1
//! arg out: buffer float 3600000 zero
//! arg norms: buffer float 24000 zero
//! arg cols: int 600

kernel void rank_one_norms(global const float *a, global const float *u, constant float *v, global float *out,
                           global float4 *norms, int cols)
{
    int row = get_global_id(0);
    float ui = u[row];
    float l1 = 0.0f, l2 = 0.0f, biggest = 0.0f;

    for (int j = 0; j < cols; j += 4) {
        float4 w = vload4(0, a + row * cols + j) + ui * vload4(0, v + j);
        vstore4(w, 0, out + row * cols + j);
        float4 m = fabs(w);
        l1 += m.x + m.y + m.z + m.w;
        l2 += dot(w, w);
        m.xy = fmax(m.xy, m.zw);
        biggest = fmax(biggest, fmax(m.x, m.y));
    }
    norms[row] = (float4)(l1, sqrt(l2), biggest, l1 / cols);
}
