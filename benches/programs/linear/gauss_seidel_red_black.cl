// A red-black sweep on tiles of 32 x 8 in local memory with a halo: red points first, then black ones from the new red
// ones, with over-relaxation, four sweeps in a row.
//! kernel red_black
//! global 512 512
//! local 32 8
//! arg u: buffer float 264196 random -1 1
//! arg out: buffer float 262144 zero
//! arg pitch: int 514
//! arg omega: float 1.3

#define TX 32
#define TY 8

kernel void red_black(global const float *u, global float *out, int pitch, float omega)
{
    local float t[TY + 2][TX + 2];
    int lx = get_local_id(0), ly = get_local_id(1);
    int x0 = get_group_id(0) * TX, y0 = get_group_id(1) * TY;

    for (int y = ly; y < TY + 2; y += TY)
        for (int x = lx; x < TX + 2; x += TX)
            t[y][x] = u[(y0 + y) * pitch + x0 + x];
    barrier(CLK_LOCAL_MEM_FENCE);

    int x = lx + 1, y = ly + 1;
    for (int sweep = 0; sweep < 4; sweep++) {
        for (int colour = 0; colour < 2; colour++) {
            if (((x + y) & 1) == colour) {
                float mean = 0.25f * (t[y][x - 1] + t[y][x + 1] + t[y - 1][x] + t[y + 1][x]);
                t[y][x] += omega * (mean - t[y][x]);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = t[y][x];
}
