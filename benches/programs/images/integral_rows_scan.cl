// Prefix sums along the rows of a byte image, the first half of an integral image. A work-group walks along its row in
// blocks and scans every block in local memory.
//! kernel integral_rows
//! global 256 768
//! local 256 1
//! arg src: buffer uchar 1035264 random 0 255
//! arg sums: buffer uint 1036032 zero
//! arg width: int 1348

__attribute__((reqd_work_group_size(256, 1, 1)))
kernel void integral_rows(global const uchar *src, global uint *sums, int width)
{
    local uint scan[2][256];
    const int lid = get_local_id(0);
    const int row = get_global_id(1);
    global const uchar *in = src + row * width;
    global uint *out = sums + row * (width + 1);
    uint carry = 0;

    if (lid == 0)
        out[0] = 0;

    for (int base = 0; base < width; base += 256) {
        int cur = 0;
        scan[0][lid] = base + lid < width ? in[base + lid] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int step = 1; step < 256; step <<= 1) {
            uint v = scan[cur][lid];
            if (lid >= step)
                v += scan[cur][lid - step];
            scan[cur ^ 1][lid] = v;
            cur ^= 1;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (base + lid < width)
            out[base + lid + 1] = carry + scan[cur][lid];
        carry += scan[cur][255];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
