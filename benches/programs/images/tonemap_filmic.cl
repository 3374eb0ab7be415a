// Filmic tone mapping of a picture of half floats: exposure, a rational curve and the sRGB gamma, stored as half floats
// again.
//! kernel tonemap
//! global 200000
//! arg hdr: buffer half 600000 random 0 12
//! arg ldr: buffer half 600000 zero
//! arg exposure: float 0.6

float3 curve(float3 x)
{
    const float a = 0.15f, b = 0.50f, c = 0.10f, d = 0.20f, e = 0.02f, f = 0.30f;
    return (x * (a * x + c * b) + d * e) / (x * (a * x + b) + d * f) - e / f;
}

kernel void tonemap(global const half *hdr, global half *ldr, float exposure)
{
    size_t i = get_global_id(0);
    float3 c = vload_half3(i, hdr) * exposure;
    float3 white = curve((float3)(11.2f));
    c = clamp(curve(c * 2.0f) / white, 0.0f, 1.0f);
    float3 low = c * 12.92f;
    float3 high = 1.055f * pow(c, (float3)(1.0f / 2.4f)) - 0.055f;
    c = select(high, low, c <= 0.0031308f);
    vstore_half3_rte(c, i, ldr);
}
