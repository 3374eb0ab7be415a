// A chain of multiplications and additions in half precision, each with the result of the one before.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void half_chain(global half *restrict out, global const half *restrict in, half factor, half term, uint length)
{
    size_t i = get_global_id(0);
    half value = in[i];
    for (uint k = 0; k < length; ++k)
        value = fma(value, factor, term);
    out[i] = value;
}
