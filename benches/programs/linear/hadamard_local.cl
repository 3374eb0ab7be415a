// Fast Walsh-Hadamard transform of rows of 1024 ints, two stages at a time in local memory; a work-group of 256 to a
// row.
//! kernel fwht
//! global 256 400
//! local 256 1
//! arg in: buffer int 409600 random -1000 1000
//! arg out: buffer int 409600 zero

#define N 1024

kernel void fwht(global const int *in, global int *out)
{
    local int data[N];
    const int lid = get_local_id(0);
    in += get_group_id(1) * N;
    out += get_group_id(1) * N;

    for (int i = lid; i < N; i += 256)
        data[i] = in[i];

    for (int h = 1; h < N; h <<= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const int lo = lid & (h - 1);
        const int base = ((lid - lo) << 2) + lo;
        const int a = data[base], b = data[base + h];
        const int c = data[base + 2 * h], d = data[base + 3 * h];
        data[base] = a + b + c + d;
        data[base + h] = a - b + c - d;
        data[base + 2 * h] = a + b - c - d;
        data[base + 3 * h] = a - b - c + d;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = lid; i < N; i += 256)
        out[i] = data[i];
}
