// A scene of signed distances: a sphere and a box over a plane, with a light and its soft shadow.
// The functions are always inlined: some drivers pass a float3 wrongly to a function that stays one.
#define INLINE __attribute__((always_inline)) static

INLINE float scene(float3 p)
{
    float sphere = length(p - (float3)(-0.9f, 0.2f, 0.0f)) - 0.8f;
    float3 q = fabs(p - (float3)(1.0f, 0.0f, 0.3f)) - (float3)(0.5f, 0.6f, 0.5f);
    float box = length(fmax(q, 0.0f)) + fmin(fmax(q.x, fmax(q.y, q.z)), 0.0f) - 0.05f;
    float plane = p.y + 0.65f;
    return fmin(plane, fmin(sphere, box));
}

INLINE float3 normal_at(float3 p)
{
    const float e = 0.001f;
    return normalize((float3)(
        scene(p + (float3)(e, 0.0f, 0.0f)) - scene(p - (float3)(e, 0.0f, 0.0f)),
        scene(p + (float3)(0.0f, e, 0.0f)) - scene(p - (float3)(0.0f, e, 0.0f)),
        scene(p + (float3)(0.0f, 0.0f, e)) - scene(p - (float3)(0.0f, 0.0f, e))));
}

INLINE float shadow(float3 p, float3 to_light)
{
    float light = 1.0f;
    float t = 0.02f;
    for (int i = 0; i < 32 && t < 6.0f; ++i) {
        float d = scene(p + to_light * t);
        if (d < 0.001f)
            return 0.0f;
        light = fmin(light, 8.0f * d / t);
        t += clamp(d, 0.02f, 0.4f);
    }
    return light;
}

kernel void raymarch(global float *restrict brightness, int width, int height)
{
    int x = get_global_id(0);
    int y = get_global_id(1);
    float u = (2.0f * (float)x - (float)width) / (float)height;
    float v = ((float)height - 2.0f * (float)y) / (float)height;
    float3 eye = (float3)(0.0f, 0.6f, -4.0f);
    float3 ray = normalize((float3)(u, v - 0.2f, 2.0f));
    float3 to_light = normalize((float3)(0.6f, 0.9f, -0.5f));
    float t = 0.0f;
    bool hit = false;
    for (int i = 0; i < 96 && t < 20.0f; ++i) {
        float d = scene(eye + ray * t);
        if (d < 0.001f) {
            hit = true;
            break;
        }
        t += d;
    }
    float value = 0.1f + 0.4f * clamp(v, 0.0f, 1.0f);
    if (hit) {
        float3 p = eye + ray * t;
        float3 n = normal_at(p);
        float facing = fmax(dot(n, to_light), 0.0f);
        value = 0.1f + 0.9f * facing * shadow(p + n * 0.01f, to_light);
    }
    brightness[y * width + x] = value;
}
