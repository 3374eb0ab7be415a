// Quantises floats to signed bytes in blocks of 32: a work-item finds the largest magnitude of its block, writes the
// scale as a half and the rounded values.
//! kernel quantise_q8
//! global 40000
//! arg x: buffer float 1280000 random -2 2
//! arg scales: buffer half 40000 zero
//! arg q: buffer char 1280000 zero
//! arg sums: buffer int 40000 zero

#pragma OPENCL FP_CONTRACT OFF

kernel void quantise_q8(global const float *x, global half *scales, global char *q, global int *sums)
{
    const size_t block = get_global_id(0);
    float8 v[4];
    float8 big = (float8)(0.0f);

    for (int i = 0; i < 4; i++) {
        v[i] = vload8(block * 4 + i, x);
        big = fmax(big, fabs(v[i]));
    }
    float4 b4 = fmax(big.lo, big.hi);
    float2 b2 = fmax(b4.lo, b4.hi);
    // A power of two, so that the division is exact.
    const int e = ilogb(fmax(b2.x, b2.y)) - 5;
    vstore_half(ldexp(1.0f, e), block, scales);

    int total = 0;
    for (int i = 0; i < 4; i++) {
        char8 r = convert_char8_sat_rte(ldexp(v[i], -e));
        vstore8(r, block * 4 + i, q);
        for (int j = 0; j < 8; j++)
            total += ((char *)&r)[j];
    }
    sums[block] = total;
}
