// Steps an option's value back in time by Crank-Nicolson: every work-item solves its own tridiagonal systems by the
// Thomas algorithm, the grid of 64 prices interleaved by work-item.
//! kernel crank_nicolson
//! global 2048
//! local 64
//! arg vol: buffer double 2048 random 0.15 0.45
//! arg grid: buffer double 131072 random 0 0.001
//! arg result: buffer double 131072 zero
//! arg steps: int 40
//! tolerance 1e-9

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define M 64

kernel void crank_nicolson(global const double *vol, global const double *grid, global double *result, int steps)
{
    size_t id = get_global_id(0), n = get_global_size(0);
    double v[M], c[M], d[M];
    double s2 = vol[id] * vol[id], rate = 0.04, dt = 1.0 / (2 * steps);

    for (int j = 0; j < M; j++)
        v[j] = fmax(40.0 - j * 1.25, 0.0) + grid[j * n + id];
    for (int t = 0; t < steps; t++) {
        c[0] = 0.0;
        d[0] = v[0] * (1.0 - rate * dt);
        for (int j = 1; j < M - 1; j++) {
            double jj = (double)j;
            double a = 0.25 * dt * (s2 * jj * jj - rate * jj);
            double b = -0.5 * dt * (s2 * jj * jj + rate);
            double e = 0.25 * dt * (s2 * jj * jj + rate * jj);
            double rhs = a * v[j - 1] + (1.0 + b) * v[j] + e * v[j + 1];
            double m = 1.0 / ((1.0 - b) + a * c[j - 1]);
            c[j] = -e * m;
            d[j] = (rhs + a * d[j - 1]) * m;
        }
        v[M - 1] = 0.0;
        for (int j = M - 2; j >= 0; j--)
            v[j] = d[j] - c[j] * v[j + 1];
    }
    for (int j = 0; j < M; j++)
        result[j * n + id] = v[j];
}
