// One radix-2 stage of an FFT over 262144 complex doubles in global memory, from one buffer to another, with the
// twiddle factor worked out on the spot.
//! kernel fft_stage
//! global 131072
//! arg in: buffer double 524288 random -1 1
//! arg out: buffer double 524288 zero
//! arg p: uint 512

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void fft_stage(global const double2 *in, global double2 *out, uint p)
{
    uint t = get_global_size(0);
    uint i = get_global_id(0);
    uint k = i & (p - 1);
    uint j = ((i - k) << 1) + k;
    double cs;
    double sn = sincos(-M_PI * (double)k / (double)p, &cs);

    double2 u0 = in[i];
    double2 u1 = in[i + t];
    double2 w = (double2)(u1.x * cs - u1.y * sn, u1.x * sn + u1.y * cs);
    out[j] = u0 + w;
    out[j + p] = u0 - w;
}
