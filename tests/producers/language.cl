// What the front end and its optimiser turn into different instructions: switches, loops, vectors, private arrays,
// structures, calls, local memory behind a barrier, conversions.
typedef struct { int a; long b; char c[3]; } Record;

static int weigh(Record r, int n) {
    switch (n & 3) {
    case 0: return r.a;
    case 1: return (int)r.b;
    case 2: return r.c[1];
    default: return -1;
    }
}

__constant int table[4] = {3, 1, 4, 1};

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void k(__global int *p, __global float *q) {
    __local int shared[4];
    size_t i = get_global_id(0), l = get_local_id(0);
    Record r = {p[i], (long)p[i] << 33 >> 32, {1, (char)p[i], 3}};
    int sum = 0;
    for (int n = 0; n < 8; n++) {
        if (n == 6) continue;
        sum += weigh(r, n) * table[n & 3];
    }
    shared[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    int4 v = (int4)(shared[0], shared[1], shared[2], shared[3]);
    v = v.wzyx + v;
    p[i] = v.x + shared[3 - l];
    float4 f = convert_float4(v) * 0.5f;
    q[i] = dot(f, (float4)(1.0f)) + fmin(q[i], 2.0f);
}
