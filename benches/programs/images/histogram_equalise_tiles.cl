// Equalises tiles of 64 x 64 pixels, each by its own histogram: counts with atomics in local memory, one work-item sums
// them up to a table, and the tile is mapped through it.
//! kernel equalise_tile
//! global 2048 16
//! local 128 1
//! arg img: buffer uchar 1048576 random 30 140
//! arg out: buffer uchar 1048576 zero
//! arg pitch: int 1024

#define TILE 64
#define WG 128

kernel void equalise_tile(global const uchar *img, global uchar *out, int pitch)
{
    local uint hist[256];
    local uchar table[256];
    const int lid = get_local_id(0);
    const int base = get_group_id(1) * TILE * pitch + get_group_id(0) * TILE;

    hist[lid] = hist[lid + WG] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = lid; i < TILE * TILE; i += WG)
        atomic_inc(&hist[img[base + i / TILE * pitch + i % TILE]]);
    barrier(CLK_LOCAL_MEM_FENCE);

    if (lid == 0) {
        uint sum = 0;
        for (int i = 0; i < 256; i++) {
            sum += hist[i];
            table[i] = (uchar)(sum * 255 / (TILE * TILE));
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int i = lid; i < TILE * TILE; i += WG) {
        int p = base + i / TILE * pitch + i % TILE;
        out[p] = table[img[p]];
    }
}
