// Samples skeletal animation: finds the pair of key frames around a time by binary search, interpolates rotations by
// slerp, with a linear shortcut, and rotates the bone's vector.
//! kernel animate
//! global 40 4000
//! local 40 2
//! arg keys: buffer float 10240 random -1 1
//! arg gaps: buffer float 64 random 0.5 1.5
//! arg times: buffer float 64 zero
//! arg when: buffer float 4000 random 0 60
//! arg pose: buffer float 640000 zero
//! arg tip: buffer float 480000 zero
//! prepare 1: gaps times
//! tolerance 2e-3

#define FRAMES 64
#define BONES 40

kernel void prepare(global const float *gaps, global float *times)
{
    float t = 0.0f;
    for (int k = 0; k < FRAMES; k++) {
        times[k] = t;
        t += gaps[k];
    }
}

float4 slerp(float4 a, float4 b, float t)
{
    float c = dot(a, b);
    if (c < 0.0f) {
        b = -b;
        c = -c;
    }
    if (c > 0.995f)
        return normalize(mix(a, b, t));
    float angle = acos(c);
    return (a * sin((1.0f - t) * angle) + b * sin(t * angle)) / sin(angle);
}

float3 rotate_by(float4 q, float3 v)
{
    float3 t = 2.0f * cross(q.xyz, v);
    return v + q.w * t + cross(q.xyz, t);
}

kernel void animate(global const float4 *keys, global const float *gaps, global const float *times,
                    global const float *when, global float4 *pose, global float *tip)
{
    int bone = get_global_id(0), s = get_global_id(1);
    float t = when[s];
    int lo = 0, hi = FRAMES - 1;
    while (hi - lo > 1) {
        int mid = (lo + hi) >> 1;
        if (times[mid] <= t)
            lo = mid;
        else
            hi = mid;
    }
    float f = clamp((t - times[lo]) / gaps[lo], 0.0f, 1.0f);
    float4 a = normalize(keys[lo * BONES + bone] + (float4)(0, 0, 0, 0.1f));
    float4 b = normalize(keys[hi * BONES + bone] + (float4)(0, 0, 0, 0.1f));
    float4 q = slerp(a, b, f);
    pose[s * BONES + bone] = q;
    vstore3(rotate_by(q, (float3)(0.0f, 1.0f, 0.25f)), s * BONES + bone, tip);
}
