// Inverses of 3 x 3 matrices of doubles given as structs, by cofactors; nearly singular matrices yield the identity and
// are marked by a flag.
//! kernel inverse3
//! global 40000
//! arg in: buffer double 360000 random -2 2
//! arg out: buffer double 360000 zero
//! arg singular: buffer uchar 40000 zero
//! tolerance 1e-9

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

typedef struct { double m[3][3]; } mat3;

double cofactor(const mat3 *a, int r, int c)
{
    int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
    return a->m[r1][c1] * a->m[r2][c2] - a->m[r1][c2] * a->m[r2][c1];
}

kernel void inverse3(global const mat3 *in, global mat3 *out, global uchar *singular)
{
    size_t i = get_global_id(0);
    mat3 a = in[i], inv;
    double det = a.m[0][0] * cofactor(&a, 0, 0) + a.m[0][1] * cofactor(&a, 0, 1)
               + a.m[0][2] * cofactor(&a, 0, 2);
    bool bad = fabs(det) < 0.05;

    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            inv.m[c][r] = bad ? (r == c ? 1.0 : 0.0) : cofactor(&a, r, c) / det;
    out[i] = inv;
    singular[i] = bad;
}
