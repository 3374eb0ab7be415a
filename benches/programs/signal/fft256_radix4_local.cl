// Batch of 256-point complex FFTs: 64 work-items per transform do four radix-4 passes in registers and exchange values
// through local memory.
//! kernel fft256
//! global 65536
//! local 64
//! arg data: buffer float 524288 random -1 1
//! arg spectrum: buffer float 524288 zero
//! tolerance 1e-3

#define N 256

float2 cmul(float2 a, float2 b)
{
    return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

void radix4(float2 *v)
{
    float2 a = v[0] + v[2], b = v[0] - v[2];
    float2 c = v[1] + v[3], d = v[1] - v[3];
    float2 id = (float2)(d.y, -d.x);
    v[0] = a + c;
    v[1] = b + id;
    v[2] = a - c;
    v[3] = b - id;
}

kernel void fft256(global const float2 *data, global float2 *spectrum)
{
    local float2 buf[N];
    int t = get_local_id(0);
    global const float2 *in = data + get_group_id(0) * N;
    global float2 *out = spectrum + get_group_id(0) * N;
    float2 v[4];

    for (int r = 0; r < 4; r++)
        v[r] = in[t + r * 64];
    for (int ns = 1; ns < N; ns *= 4) {
        int k = t & (ns - 1);
        float angle = -2.0f * M_PI_F * k / (ns * 4);
        for (int r = 1; r < 4; r++)
            v[r] = cmul(v[r], (float2)(cos(r * angle), sin(r * angle)));
        radix4(v);
        int base = (t / ns) * ns * 4 + k;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int r = 0; r < 4; r++)
            buf[base + r * ns] = v[r];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int r = 0; r < 4; r++)
            v[r] = buf[t + r * 64];
    }
    for (int r = 0; r < 4; r++)
        out[t + r * 64] = v[r];
}
