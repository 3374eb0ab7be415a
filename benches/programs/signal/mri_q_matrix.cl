// The Q matrix of MRI reconstruction: every voxel sums the phases of all k-space samples, which are structs in constant
// memory.
//! kernel compute_q
//! global 16384
//! local 256
//! arg kvals: buffer float 2048 random -1 1
//! arg x: buffer float 16384 random -2 2
//! arg y: buffer float 16384 random -2 2
//! arg z: buffer float 16384 random -2 2
//! arg qr: buffer float 16384 zero
//! arg qi: buffer float 16384 zero
//! arg count: int 512
//! tolerance 1e-3

struct KSample {
    float kx, ky, kz, phi;
};

kernel void compute_q(constant struct KSample *kvals, global const float *x, global const float *y,
                      global const float *z, global float *qr, global float *qi, int count)
{
    int i = get_global_id(0);
    float sx = x[i], sy = y[i], sz = z[i];
    float re = 0.0f, im = 0.0f;

    for (int k = 0; k < count; k++) {
        float arg = 6.2831853071795864769f * (kvals[k].kx * sx + kvals[k].ky * sy + kvals[k].kz * sz);
        re += kvals[k].phi * cos(arg);
        im += kvals[k].phi * sin(arg);
    }
    qr[i] = re;
    qi[i] = im;
}
