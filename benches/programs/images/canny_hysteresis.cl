// One hysteresis pass of Canny: inside its tile each work-group repeats promoting weak pixels next to strong ones until
// nothing changes, then writes the tile.
//! kernel hysteresis
//! global 1024 512
//! local 16 16
//! arg src: buffer uchar 524288 random 0 19
//! arg dst: buffer uchar 524288 zero
//! arg cols: int 1024
//! arg rows: int 512

#define N 16
#define S (N + 2)

kernel void hysteresis(global const uchar *src, global uchar *dst, int cols, int rows)
{
    local uchar state[S * S];
    local int changed;
    int lx = get_local_id(0), ly = get_local_id(1);
    int lid = ly * N + lx;
    int ox = get_group_id(0) * N - 1, oy = get_group_id(1) * N - 1;

    for (int i = lid; i < S * S; i += N * N) {
        int x = ox + i % S, y = oy + i / S;
        uchar v = 0;
        if (x >= 0 && y >= 0 && x < cols && y < rows) {
            uchar s = src[y * cols + x];
            v = s == 19 ? 2 : s > 11 ? 1 : 0;
        }
        state[i] = v;
    }

    int c = (ly + 1) * S + lx + 1;
    do {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid == 0)
            changed = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        bool promote = state[c] == 1 &&
            (state[c - 1] == 2 || state[c + 1] == 2 || state[c - S] == 2 || state[c + S] == 2 ||
             state[c - S - 1] == 2 || state[c - S + 1] == 2 ||
             state[c + S - 1] == 2 || state[c + S + 1] == 2);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (promote) {
            state[c] = 2;
            changed = 1;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    } while (changed);

    dst[get_global_id(1) * cols + get_global_id(0)] = state[c] == 2 ? 255 : 0;
}
