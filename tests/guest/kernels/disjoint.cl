// Kernels that may be given one buffer twice: each work-item accesses a part of its own.

// Each number of a record is stored before the next one is loaded, from where it may have been stored.
kernel void records(global uchar *out, global const uchar *in)
{
    const uint at = 4 * get_global_id(0);
    out[at + 1] = in[at] + 1;
    out[at + 2] = in[at + 1] + 2;
    out[at + 3] = in[at + 2] + 3;
    out[at] = in[at + 3] + 4;
}

// The sum may be one of the numbers.
kernel void sums(global uchar *out, global const uchar *in)
{
    const uint at = 16 * get_global_id(0);
    __attribute__((opencl_unroll_hint(1)))
    for (uint k = 0; k < 16; ++k)
        out[at + 5] += in[at + k];
}

// The same without a loop.
kernel void straight(global uchar *out, global const uchar *in)
{
    const uint at = 16 * get_global_id(0);
    __attribute__((opencl_unroll_hint))
    for (uint k = 0; k < 16; ++k)
        out[at + 5] += in[at + k];
}
