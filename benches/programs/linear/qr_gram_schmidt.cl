// QR factors of 8 x 4 matrices by modified Gram-Schmidt, a matrix to a work-item with the columns as float8 in a
// private array.
//! kernel qr
//! global 16000
//! arg a: buffer float 512000 random -1 1
//! arg q: buffer float 512000 zero
//! arg r: buffer float 256000 zero
//! tolerance 5e-4

inline float dot8(float8 a, float8 b)
{
    return dot(a.lo, b.lo) + dot(a.hi, b.hi);
}

kernel void qr(global const float *a, global float *q, global float *r)
{
    const int id = get_global_id(0);
    float8 col[4];
    float tri[16] = {0.0f};

    for (int j = 0; j < 4; j++) {
        col[j] = vload8(id * 4 + j, a);
        col[j].s0 += 1.0f;
    }
    for (int j = 0; j < 4; j++) {
        float norm = sqrt(dot8(col[j], col[j])) + 0.1f;
        tri[j * 4 + j] = norm;
        col[j] = col[j] / norm;
        for (int k = j + 1; k < 4; k++) {
            float d = dot8(col[j], col[k]);
            tri[j * 4 + k] = d;
            col[k] -= d * col[j];
        }
    }
    for (int j = 0; j < 4; j++) {
        vstore8(col[j], id * 4 + j, q);
        vstore4(vload4(j, tri), id * 4 + j, r);
    }
}
