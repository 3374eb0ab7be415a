// Matrix-vector product of signed bytes, sixteen at a time, accumulated in ints and requantised with a scale for each
// row to a byte and a float.
//! kernel gemv_int8
//! global 8192
//! arg w: buffer char 16777216 random -127 127
//! arg x: buffer char 2048 random -127 127
//! arg scale: buffer float 8192 random 0.00002 0.0001
//! arg acc: buffer int 8192 zero
//! arg y: buffer float 8192 zero
//! arg k: int 2048

kernel void gemv_int8(global const char *w, global const char *x, global const float *scale, global int *acc,
                      global float *y, int k)
{
    int row = get_global_id(0);
    global const char *wr = w + row * k;
    int8 sum = 0;

    for (int i = 0; i < k / 16; i++) {
        short16 a = convert_short16(vload16(i, wr));
        short16 b = convert_short16(vload16(i, x));
        short16 p = a * b;
        sum += convert_int8(p.lo) + convert_int8(p.hi);
    }
    int4 s4 = sum.lo + sum.hi;
    int2 s2 = s4.lo + s4.hi;
    int total = s2.x + s2.y;
    acc[row] = total;
    y[row] = total * scale[row];
}
