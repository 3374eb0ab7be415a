// Integrates a batch of Lorenz systems with different parameters by classical Runge-Kutta, one system per work-item,
// through a right-hand side that takes pointers.
//! kernel lorenz_rk4
//! global 32000
//! arg y0: buffer double 96000 random -5 5
//! arg rho: buffer double 32000 random 10 40
//! arg y1: buffer double 96000 zero
//! arg steps: int 48
//! arg h: double 0.004
//! tolerance 1e-9

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

void rhs(const double *y, double rho, double *dy)
{
    dy[0] = 10.0 * (y[1] - y[0]);
    dy[1] = y[0] * (rho - y[2]) - y[1];
    dy[2] = y[0] * y[1] - 8.0 / 3.0 * y[2];
}

kernel void lorenz_rk4(global const double *y0, global const double *rho, global double *y1, int steps, double h)
{
    int i = get_global_id(0);
    double y[3], k1[3], k2[3], k3[3], k4[3], t[3];
    for (int d = 0; d < 3; d++)
        y[d] = y0[3 * i + d];
    double r = rho[i];

    for (int s = 0; s < steps; s++) {
        rhs(y, r, k1);
        for (int d = 0; d < 3; d++)
            t[d] = y[d] + 0.5 * h * k1[d];
        rhs(t, r, k2);
        for (int d = 0; d < 3; d++)
            t[d] = y[d] + 0.5 * h * k2[d];
        rhs(t, r, k3);
        for (int d = 0; d < 3; d++)
            t[d] = y[d] + h * k3[d];
        rhs(t, r, k4);
        for (int d = 0; d < 3; d++)
            y[d] += h / 6.0 * (k1[d] + 2.0 * k2[d] + 2.0 * k3[d] + k4[d]);
    }
    for (int d = 0; d < 3; d++)
        y1[3 * i + d] = y[d];
}
