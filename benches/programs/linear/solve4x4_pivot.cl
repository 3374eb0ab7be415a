// Solves many 4 x 4 systems by elimination with partial pivoting on float4 rows; the rows are kept in a private array
// and exchanged as vectors.
//! kernel solve4
//! global 40000
//! arg a: buffer float 640000 random -1 1
//! arg b: buffer float 160000 random -1 1
//! arg x: buffer float 160000 zero
//! arg det: buffer float 40000 zero
//! tolerance 2e-3

#define COL(v, c) (((const float *)&(v))[c])

kernel void solve4(global const float4 *a, global const float4 *b, global float4 *x, global float *det)
{
    size_t id = get_global_id(0);
    float4 row[4];
    float r[4], sol[4], d = 1.0f;
    vstore4(b[id], 0, r);
    for (int i = 0; i < 4; i++) {
        row[i] = a[id * 4 + i];
        ((float *)&row[i])[i] += row[i].x < 0.0f ? -1.5f : 1.5f;
    }

    for (int c = 0; c < 4; c++) {
        int p = c;
        for (int i = c + 1; i < 4; i++)
            if (fabs(COL(row[i], c)) > fabs(COL(row[p], c)) * 1.001f)
                p = i;
        if (p != c) {
            float4 t = row[c]; row[c] = row[p]; row[p] = t;
            float s = r[c]; r[c] = r[p]; r[p] = s;
            d = -d;
        }
        d *= COL(row[c], c);
        for (int i = c + 1; i < 4; i++) {
            float f = COL(row[i], c) / COL(row[c], c);
            row[i] -= f * row[c];
            r[i] -= f * r[c];
        }
    }
    for (int i = 3; i >= 0; i--) {
        float s = r[i];
        for (int j = i + 1; j < 4; j++)
            s -= COL(row[i], j) * sol[j];
        sol[i] = s / copysign(fmax(fabs(COL(row[i], i)), 0.05f), COL(row[i], i));
    }
    x[id] = vload4(0, sol);
    det[id] = d;
}
