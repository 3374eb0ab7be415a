// Walks rays through a 64^3 grid of voxels, kept one bit each in 64-bit words, by the digital differential analyser
// until something solid or the edge is met.
//! kernel dda
//! global 256 160
//! local 8 8
//! arg noise: buffer ulong 8192 random 0 9223372036854775807
//! arg voxels: buffer ulong 4096 zero
//! arg hit: buffer int 40960 zero
//! arg steps: buffer uchar 40960 zero
//! prepare 4096: noise voxels

#pragma OPENCL FP_CONTRACT OFF

kernel void prepare(global const ulong *noise, global ulong *voxels)
{
    int i = get_global_id(0);
    ulong a = noise[i], b = noise[i + 4096];
    voxels[i] = a & b & rotate(a, (ulong)21) & rotate(b, (ulong)38) & rotate(a ^ b, (ulong)11);
}

kernel void dda(global const ulong *noise, global const ulong *voxels, global int *hit, global uchar *steps)
{
    int px = get_global_id(0), py = get_global_id(1), w = get_global_size(0);
    // Spacing of crossings along each axis; direction signs follow from the pixel.
    float delta[3] = {1.0f + fabs(px - 100.3f) * 0.0625f, 1.2f + fabs(py - 70.7f) * 0.0625f, 1.1f};
    int dir[3] = {px < 100 ? -1 : 1, py < 71 ? -1 : 1, 1};
    int at[3] = {32, 32, 0};
    float next[3];
    for (int d = 0; d < 3; d++)
        next[d] = delta[d] * (d == 0 ? 0.43f : d == 1 ? 0.57f : 1.0f);
    int n = 0, found = -1;

    while (n < 190) {
        int axis = next[0] < next[1] ? (next[0] < next[2] ? 0 : 2) : (next[1] < next[2] ? 1 : 2);
        at[axis] += dir[axis];
        next[axis] += delta[axis];
        n++;
        if (at[axis] < 0 || at[axis] > 63)
            break;
        if ((voxels[at[2] * 64 + at[1]] >> at[0]) & 1) {
            found = (at[2] * 64 + at[1]) * 64 + at[0];
            break;
        }
    }
    hit[py * w + px] = found;
    steps[py * w + px] = (uchar)n;
}
