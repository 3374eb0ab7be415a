// Applies a colour table of 17 x 17 x 17 entries to RGBA floats by tetrahedral interpolation, which takes four of the
// eight corners of the cell.
//! kernel apply_lut3d
//! global 262144
//! local 128
//! arg image: buffer float 1048576 random -0.02 1.02
//! arg lut: buffer float 19652 random 0 1
//! arg result: buffer float 1048576 zero

#define EDGE 17

kernel void apply_lut3d(global const float4 *image, global const float4 *lut, global float4 *result)
{
    const int i = get_global_id(0);
    const float4 px = image[i];
    const float3 scaled = clamp(px.xyz, 0.0f, 1.0f) * (float)(EDGE - 1);
    const int3 cell = min(convert_int3(scaled), EDGE - 2);
    const float3 f = scaled - convert_float3(cell);

    global const float4 *c = lut + (cell.z * EDGE + cell.y) * EDGE + cell.x;
    const int sx = 1, sy = EDGE, sz = EDGE * EDGE;
    const float4 c000 = c[0], c111 = c[sx + sy + sz];
    float4 r;

    if (f.x > f.y) {
        if (f.y > f.z)
            r = c000 * (1 - f.x) + c[sx] * (f.x - f.y) + c[sx + sy] * (f.y - f.z) + c111 * f.z;
        else if (f.x > f.z)
            r = c000 * (1 - f.x) + c[sx] * (f.x - f.z) + c[sx + sz] * (f.z - f.y) + c111 * f.y;
        else
            r = c000 * (1 - f.z) + c[sz] * (f.z - f.x) + c[sx + sz] * (f.x - f.y) + c111 * f.y;
    } else {
        if (f.z > f.y)
            r = c000 * (1 - f.z) + c[sz] * (f.z - f.y) + c[sy + sz] * (f.y - f.x) + c111 * f.x;
        else if (f.z > f.x)
            r = c000 * (1 - f.y) + c[sy] * (f.y - f.z) + c[sy + sz] * (f.z - f.x) + c111 * f.x;
        else
            r = c000 * (1 - f.y) + c[sy] * (f.y - f.x) + c[sx + sy] * (f.x - f.z) + c111 * f.z;
    }
    r.w = px.w;
    result[i] = r;
}
