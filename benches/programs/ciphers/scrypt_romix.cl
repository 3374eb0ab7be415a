// Memory-hard mixing as in scrypt with N = 64 and r = 1: Salsa20/8 fills a scratch pad in global memory, then reads it
// back at places that depend on the data.
//! kernel romix
//! global 1024
//! local 32
//! arg seed: buffer uint 32768 random 0 4294967295
//! arg pad: buffer uint 2097152 zero
//! arg out: buffer uint 32768 zero
//! arg n: uint 64

void salsa8(uint16 *b, uint16 in)
{
    uint16 start = *b ^ in;
    uint x[16];
    vstore16(start, 0, x);
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 4; k++) {
            int p = 5 * k;
            x[(p + 4) & 15] ^= rotate(x[p] + x[(p + 12) & 15], 7u);
            x[(p + 8) & 15] ^= rotate(x[(p + 4) & 15] + x[p], 9u);
            x[(p + 12) & 15] ^= rotate(x[(p + 8) & 15] + x[(p + 4) & 15], 13u);
            x[p] ^= rotate(x[(p + 12) & 15] + x[(p + 8) & 15], 18u);
        }
        for (int k = 0; k < 4; k++) {
            int r = 4 * k;
            x[r + ((k + 1) & 3)] ^= rotate(x[r + k] + x[r + ((k + 3) & 3)], 7u);
            x[r + ((k + 2) & 3)] ^= rotate(x[r + ((k + 1) & 3)] + x[r + k], 9u);
            x[r + ((k + 3) & 3)] ^= rotate(x[r + ((k + 2) & 3)] + x[r + ((k + 1) & 3)], 13u);
            x[r + k] ^= rotate(x[r + ((k + 3) & 3)] + x[r + ((k + 2) & 3)], 18u);
        }
    }
    *b = start + vload16(0, x);
}

kernel void romix(global const uint *seed, global uint16 *pad, global uint *out, uint n)
{
    const size_t gid = get_global_id(0);
    global uint16 *v = pad + gid * 2 * n;
    uint16 x = vload16(gid * 2, seed), y = vload16(gid * 2 + 1, seed);
    for (uint i = 0; i < n; i++) {
        v[2 * i] = x;
        v[2 * i + 1] = y;
        salsa8(&x, y);
        salsa8(&y, x);
    }
    for (uint i = 0; i < n; i++) {
        uint j = y.s0 & (n - 1);
        x ^= v[2 * j];
        y ^= v[2 * j + 1];
        salsa8(&x, y);
        salsa8(&y, x);
    }
    vstore16(x, gid * 2, out);
    vstore16(y, gid * 2 + 1, out);
}
