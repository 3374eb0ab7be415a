// Pictures in images: resized, blurred, copied; a volume that is sampled.
constant sampler_t between = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

kernel void resize(read_only image2d_t in, write_only image2d_t out, float2 step)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(out, at, read_imagef(in, between, (convert_float2(at) + 0.5f) * step));
}

kernel void blur(read_only image2d_t in, write_only image2d_t out)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 sum = 0;
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++)
            sum += read_imagef(in, nearest, at + (int2)(x, y));
    write_imagef(out, at, sum * (1.0f / 9));
}

// A slanted plane through a volume for each slice of the result.
kernel void trilinear(read_only image3d_t volume, global float *out, float step)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    int width = get_global_size(0), height = get_global_size(1);
    float4 at = (float4)(x + 0.25f * y, y + 0.125f * z, z + 0.5f * x, 0) * step;
    out[(z * height + y) * width + x] = read_imagef(volume, between, at).x;
}

kernel void copy(read_only image2d_t in, write_only image2d_t out)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(out, at, read_imagef(in, at));
}

kernel void to_buffer(read_only image2d_t in, global uchar4 *out)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    out[at.y * get_global_size(0) + at.x] = convert_uchar4_sat_rte(read_imagef(in, at) * 255.0f);
}
