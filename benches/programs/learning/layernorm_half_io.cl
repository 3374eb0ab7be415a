// Layer normalisation with half floats in memory and floats in arithmetic; one work-item to a token reads its row
// twice.
//! kernel layernorm
//! global 8000
//! arg x: buffer half 6144000 random -2 3
//! arg gamma: buffer half 768 random 0.5 1.5
//! arg beta: buffer half 768 random -0.5 0.5
//! arg y: buffer half 6144000 zero
//! arg width: int 768
//! arg eps: float 1e-5

kernel void layernorm(global const half *x, global const half *gamma, global const half *beta, global half *y,
                      int width, float eps)
{
    global const half *row = x + get_global_id(0) * width;
    global half *out = y + get_global_id(0) * width;
    float4 sum = 0.0f, squares = 0.0f;

    for (int i = 0; i < width / 4; i++) {
        float4 v = vload_half4(i, row);
        sum += v;
        squares += v * v;
    }
    float mean = (sum.x + sum.y + sum.z + sum.w) / width;
    float var = (squares.x + squares.y + squares.z + squares.w) / width - mean * mean;
    float inv = rsqrt(var + eps);

    for (int i = 0; i < width / 4; i++) {
        float4 v = (vload_half4(i, row) - mean) * inv;
        v = v * vload_half4(i, gamma) + vload_half4(i, beta);
        vstore_half4(v, i, out);
    }
}
