// Powers of 3 x 3 matrices modulo a prime by squaring; the exponent differs from one work-item to the next, so the
// loops end at different times.
//! kernel matrix_power
//! global 8192
//! arg base: buffer uint 73728 random 0 998244352
//! arg exponent: buffer uint 8192 random 1 2000000
//! arg result: buffer uint 73728 zero
//! arg modulus: uint 998244353

typedef struct { uint e[9]; } matrix;

void multiply(matrix *out, const matrix *a, const matrix *b, uint modulus)
{
    matrix r;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            ulong s = 0;
            for (int k = 0; k < 3; k++)
                s += (ulong)a->e[i * 3 + k] * b->e[k * 3 + j];
            r.e[i * 3 + j] = (uint)(s % modulus);
        }
    }
    *out = r;
}

kernel void matrix_power(global const matrix *base, global const uint *exponent, global matrix *result, uint modulus)
{
    size_t id = get_global_id(0);
    matrix b = base[id];
    matrix r = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};

    for (uint e = exponent[id]; e != 0; e >>= 1) {
        if (e & 1)
            multiply(&r, &r, &b, modulus);
        multiply(&b, &b, &b, modulus);
    }
    result[id] = r;
}
