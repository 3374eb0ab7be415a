// The ten sums of quarters that a step of Strassen's method multiplies, from two square matrices; the third dimension
// of the range chooses the sum.
//! kernel strassen_sums
//! global 640 640 10
//! arg a: buffer float 1638400 random -1 1
//! arg b: buffer float 1638400 random -1 1
//! arg sums: buffer float 4096000 zero

constant char4 recipe[10] = {
    // matrix, first quarter, sign, second quarter
    (char4)(1, 1, -1, 3), (char4)(0, 0, 1, 1), (char4)(0, 2, 1, 3), (char4)(1, 2, -1, 0),
    (char4)(0, 0, 1, 3), (char4)(1, 0, 1, 3), (char4)(0, 1, -1, 3), (char4)(1, 2, 1, 3),
    (char4)(0, 0, -1, 2), (char4)(1, 0, 1, 1)
};

kernel void strassen_sums(global const float *a, global const float *b, global float *sums)
{
    int x = get_global_id(0), y = get_global_id(1), s = get_global_id(2);
    int half_size = get_global_size(0), n = 2 * half_size;
    char4 r = recipe[s];
    global const float *m = r.x ? b : a;
    float p = m[((r.y >> 1) * half_size + y) * n + (r.y & 1) * half_size + x];
    float q = m[((r.w >> 1) * half_size + y) * n + (r.w & 1) * half_size + x];
    sums[(s * half_size + y) * half_size + x] = p + (float)r.z * q;
}
