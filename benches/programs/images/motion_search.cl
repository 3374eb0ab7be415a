// Motion search by sums of absolute differences: a work-group takes a block of 16 x 16 bytes, its work-items the 256
// vectors from -8 to 7, and an atomic minimum in local memory finds the best.
//! kernel block_match
//! global 480 272
//! local 16 16
//! arg current: buffer uchar 130560 random 0 255
//! arg reference: buffer uchar 142848 random 0 255
//! arg vectors: buffer short 1020 zero
//! arg costs: buffer uint 510 zero
//! arg pitch: int 496

#define B 16

// The reference frame has eight more pixels on every side than the current one.
kernel void block_match(global const uchar *current, global const uchar *reference, global short2 *vectors,
                        global uint *costs, int pitch)
{
    local uchar cur[B][B];
    local uint best;
    int lx = get_local_id(0), ly = get_local_id(1);
    int bx = get_group_id(0) * B, by = get_group_id(1) * B;

    cur[ly][lx] = current[(by + ly) * get_global_size(0) + bx + lx];
    if (lx == 0 && ly == 0)
        best = UINT_MAX;
    barrier(CLK_LOCAL_MEM_FENCE);

    uint sad = 0;
    global const uchar *ref = reference + (by + ly) * pitch + bx + lx;
    for (int j = 0; j < B; j++, ref += pitch)
        for (int i = 0; i < B; i++)
            sad += abs_diff(cur[j][i], ref[i]);

    uint key = sad << 8 | (uint)(ly * B + lx);
    atomic_min(&best, key);
    barrier(CLK_LOCAL_MEM_FENCE);

    if (key == best) {
        int block = get_group_id(1) * get_num_groups(0) + get_group_id(0);
        vectors[block] = (short2)(lx - 8, ly - 8);
        costs[block] = sad;
    }
}
