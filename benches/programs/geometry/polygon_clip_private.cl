// Clips polygons of eight corners against the unit square by Sutherland and Hodgman, two private arrays taking turns,
// and returns area and number of corners left.
//! kernel clip
//! global 32768
//! arg angle_step: buffer float 262144 random 0.2 1
//! arg centre: buffer float 65536 random -0.3 1.3
//! arg area: buffer float 32768 zero
//! arg corners: buffer uchar 32768 zero
//! tolerance 1e-4

#pragma OPENCL FP_CONTRACT OFF

float signed_distance(float2 p, int side)
{
    switch (side) {
    case 0: return p.x;
    case 1: return p.y;
    case 2: return 1.0f - p.x;
    default: return 1.0f - p.y;
    }
}

int clip_side(const float2 *in, int n, float2 *out, int side)
{
    int m = 0;
    for (int k = 0; k < n; k++) {
        float2 a = in[k], b = in[k + 1 < n ? k + 1 : 0];
        float da = signed_distance(a, side), db = signed_distance(b, side);
        if (da >= 0.0f)
            out[m++] = a;
        if ((da >= 0.0f) != (db >= 0.0f))
            out[m++] = a + (b - a) * (da / (da - db));
    }
    return m;
}

constant float2 octagon[8] = {(float2)(1.0f, 0.0f), (float2)(0.75f, 0.75f), (float2)(0.0f, 1.0f),
                              (float2)(-0.75f, 0.75f), (float2)(-1.0f, 0.0f), (float2)(-0.75f, -0.75f),
                              (float2)(0.0f, -1.0f), (float2)(0.75f, -0.75f)};

kernel void clip(global const float *angle_step, global const float2 *centre, global float *area, global uchar *corners)
{
    int id = get_global_id(0);
    float2 a[20], b[20];
    for (int k = 0; k < 8; k++)
        a[k] = centre[id] + octagon[k] * angle_step[id * 8 + k] * 0.6f;
    int n = 8;
    for (int side = 0; side < 4 && n > 0; side += 2) {
        n = clip_side(a, n, b, side);
        n = clip_side(b, n, a, side + 1);
    }
    float sum = 0.0f;
    for (int k = 0; k < n; k++) {
        float2 p = a[k], q = a[k + 1 < n ? k + 1 : 0];
        sum += p.x * q.y - p.y * q.x;
    }
    area[id] = 0.5f * sum;
    corners[id] = (uchar)n;
}
