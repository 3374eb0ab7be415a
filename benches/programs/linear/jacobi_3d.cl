// One Jacobi step for Poisson's equation on a 3-D grid with seven points; the faces of the box keep their values.
//! kernel jacobi
//! global 100 96 80
//! arg u: buffer float 768000 random 0 1
//! arg f: buffer float 768000 random -1 1
//! arg next: buffer float 768000 zero
//! arg nx: int 100
//! arg ny: int 96
//! arg nz: int 80
//! arg h2: float 0.01

#define IDX(i, j, k) (((k) * ny + (j)) * nx + (i))

kernel void jacobi(global const float *u, global const float *f, global float *next, int nx, int ny, int nz, float h2)
{
    int i = get_global_id(0);
    int j = get_global_id(1);
    int k = get_global_id(2);

    if (i == 0 || j == 0 || k == 0 || i == nx - 1 || j == ny - 1 || k == nz - 1) {
        next[IDX(i, j, k)] = u[IDX(i, j, k)];
        return;
    }
    next[IDX(i, j, k)] = (u[IDX(i - 1, j, k)] + u[IDX(i + 1, j, k)] +
                          u[IDX(i, j - 1, k)] + u[IDX(i, j + 1, k)] +
                          u[IDX(i, j, k - 1)] + u[IDX(i, j, k + 1)] -
                          h2 * f[IDX(i, j, k)]) / 6.0f;
}
