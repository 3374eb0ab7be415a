// Motion compensation of 8x8 blocks with the six-tap half-pel filter in both directions through an intermediate of
// shorts in local memory.
//! kernel predict
//! global 512 512
//! local 8 8
//! arg reference: buffer uchar 262144 random 0 255
//! arg vectors: buffer char 8192 random -32 32
//! arg out: buffer uchar 262144 zero
//! arg width: int 512
//! arg height: int 512

static int tap6(int a, int b, int c, int d, int e, int f)
{
    return a - 5 * b + 20 * c + 20 * d - 5 * e + f;
}

kernel void predict(global const uchar *reference, global const char2 *vectors, global uchar *out, int width,
                    int height)
{
    local uchar src[13][16];
    local short mid[13][8];
    const int lx = get_local_id(0), ly = get_local_id(1), lid = ly * 8 + lx;
    const int block = get_group_id(1) * get_num_groups(0) + get_group_id(0);
    const char2 mv = vectors[block];
    const int ox = get_group_id(0) * 8 + (mv.x >> 1) - 2, oy = get_group_id(1) * 8 + (mv.y >> 1) - 2;
    for (int i = lid; i < 13 * 13; i += 64)
        src[i / 13][i % 13] = reference[clamp(oy + i / 13, 0, height - 1) * width + clamp(ox + i % 13, 0, width - 1)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = lid; i < 13 * 8; i += 64) {
        const int x = i & 7, y = i >> 3;
        mid[y][x] = mv.x & 1 ? tap6(src[y][x], src[y][x + 1], src[y][x + 2], src[y][x + 3],
                                    src[y][x + 4], src[y][x + 5])
                             : src[y][x + 2] * 32;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int v;
    if (mv.y & 1)
        v = (tap6(mid[ly][lx], mid[ly + 1][lx], mid[ly + 2][lx], mid[ly + 3][lx], mid[ly + 4][lx], mid[ly + 5][lx]) +
             512) >> 10;
    else
        v = (mid[ly + 2][lx] + 16) >> 5;
    out[get_global_id(1) * width + get_global_id(0)] = convert_uchar_sat(v);
}
