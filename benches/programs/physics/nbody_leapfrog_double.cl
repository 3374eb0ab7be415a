// One leapfrog step of a small star cluster in double precision, straight from global memory with separate coordinate
// arrays; the body itself is skipped by a test.
//! kernel nbody_step
//! global 1100
//! arg px: buffer double 1100 random -10 10
//! arg py: buffer double 1100 random -10 10
//! arg pz: buffer double 1100 random -10 10
//! arg vel: buffer double 4400 random -0.1 0.1
//! arg mass: buffer double 1100 random 0.5 3
//! arg outp: buffer double 4400 zero
//! arg outv: buffer double 4400 zero
//! arg dt: double 0.01
//! tolerance 1e-9

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void nbody_step(global const double *px, global const double *py, global const double *pz,
                       global const double4 *vel, global const double *mass, global double4 *outp, global double4 *outv,
                       double dt)
{
    size_t i = get_global_id(0);
    size_t n = get_global_size(0);
    double x = px[i], y = py[i], z = pz[i];
    double ax = 0.0, ay = 0.0, az = 0.0, pot = 0.0;

    for (size_t j = 0; j < n; j++) {
        if (j == i)
            continue;
        double dx = px[j] - x;
        double dy = py[j] - y;
        double dz = pz[j] - z;
        double r2 = dx * dx + dy * dy + dz * dz + 1e-3;
        double r = sqrt(r2);
        double f = mass[j] / (r2 * r);
        ax += f * dx;
        ay += f * dy;
        az += f * dz;
        pot -= mass[j] / r;
    }
    double4 v = vel[i] + (double4)(ax, ay, az, 0.0) * dt;
    v.w = 0.5 * mass[i] * (v.x * v.x + v.y * v.y + v.z * v.z);
    outv[i] = v;
    outp[i] = (double4)(x + v.x * dt, y + v.y * dt, z + v.z * dt, pot * mass[i]);
}
