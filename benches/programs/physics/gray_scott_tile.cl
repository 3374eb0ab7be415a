// Gray-Scott reaction and diffusion of two chemicals as double2 on a torus, one step per launch, with a 16 x 16 tile
// and its rim staged in local memory.
//! kernel gray_scott
//! global 512 512
//! local 16 16
//! arg uv: buffer double 524288 random 0 1
//! arg next: buffer double 524288 zero
//! arg feed: double 0.037
//! arg kill: double 0.06
//! tolerance 1e-12

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define T 16

kernel void gray_scott(global const double2 *uv, global double2 *next, double feed, double kill)
{
    local double2 tile[T + 2][T + 2];
    int w = get_global_size(0), h = get_global_size(1);
    int lx = get_local_id(0), ly = get_local_id(1);
    int x0 = get_group_id(0) * T - 1, y0 = get_group_id(1) * T - 1;

    for (int k = ly * T + lx; k < (T + 2) * (T + 2); k += T * T) {
        int tx = k % (T + 2), ty = k / (T + 2);
        int gx = (x0 + tx + w) % w, gy = (y0 + ty + h) % h;
        tile[ty][tx] = uv[gy * w + gx];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    int cx = lx + 1, cy = ly + 1;
    double2 c = tile[cy][cx];
    double2 lap = 0.2 * (tile[cy - 1][cx] + tile[cy + 1][cx] + tile[cy][cx - 1] + tile[cy][cx + 1]) +
                  0.05 * (tile[cy - 1][cx - 1] + tile[cy - 1][cx + 1] + tile[cy + 1][cx - 1] +
                          tile[cy + 1][cx + 1]) - c;
    double r = c.x * c.y * c.y;
    double2 d;
    d.x = 0.16 * lap.x - r + feed * (1.0 - c.x);
    d.y = 0.08 * lap.y + r - (feed + kill) * c.y;
    next[get_global_id(1) * w + get_global_id(0)] = clamp(c + d, 0.0, 1.0);
}
