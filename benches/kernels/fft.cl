// Fourier transform of 1024 complex numbers per work-group of 256, radix 4, between two arrays in local memory.
#define POINTS 1024
#define QUARTER 256

static float2 times(float2 a, float2 b) { return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

__attribute__((reqd_work_group_size(QUARTER, 1, 1)))
kernel void fft(global float2 *restrict data, global const float2 *restrict roots)
{
    local float2 one[POINTS];
    local float2 two[POINTS];
    global float2 *own = data + get_group_id(0) * POINTS;
    int item = get_local_id(0);
    for (int i = item; i < POINTS; i += QUARTER)
        one[i] = own[i];
    barrier(CLK_LOCAL_MEM_FENCE);

    local float2 *from = one;
    local float2 *to = two;
    for (int done = 1; done < POINTS; done *= 4) {
        int k = item & (done - 1);
        int turn = k * (QUARTER / done);
        float2 a = from[item];
        float2 b = times(from[item + QUARTER], roots[turn]);
        float2 c = times(from[item + 2 * QUARTER], roots[2 * turn]);
        float2 d = times(from[item + 3 * QUARTER], roots[3 * turn]);
        float2 even_sum = a + c, even_difference = a - c;
        float2 odd_sum = b + d, odd_difference = (float2)(b.y - d.y, d.x - b.x);
        int start = (item - k) * 4 + k;
        to[start] = even_sum + odd_sum;
        to[start + done] = even_difference + odd_difference;
        to[start + 2 * done] = even_sum - odd_sum;
        to[start + 3 * done] = even_difference - odd_difference;
        barrier(CLK_LOCAL_MEM_FENCE);
        local float2 *swap = from;
        from = to;
        to = swap;
    }
    for (int i = item; i < POINTS; i += QUARTER)
        own[i] = from[i];
}
