// Batch normalisation and SiLU in half precision: statistics of the channels are folded to a scale and a shift, eight
// halfs to a work-item.
//! kernel batchnorm_silu
//! global 784 64
//! arg x: buffer half 401408 random -3 3
//! arg mean: buffer float 64 random -0.5 0.5
//! arg var: buffer float 64 random 0.5 2
//! arg gamma: buffer float 64 random 0.5 1.5
//! arg y: buffer half 401408 zero

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

kernel void batchnorm_silu(global const half8 *x, global const float *mean, global const float *var,
                           global const float *gamma, global half8 *y)
{
    size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    size_t c = get_global_id(1);
    half scale = (half)(gamma[c] * rsqrt(var[c] + 1e-5f));
    half shift = (half)(-mean[c]) * scale;
    half8 v = x[i] * scale + shift;
    y[i] = v / ((half8)(1.0h) + exp(-v));
}
