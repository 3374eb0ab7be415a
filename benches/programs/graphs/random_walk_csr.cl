// Restarting random walks over a graph in compressed rows, as in node embedding: each work-item follows one walk,
// returns home now and then, and stops early at a vertex without edges.
//! kernel walk
//! global 16384
//! arg degree: buffer uchar 40000 random 0 20
//! arg target: buffer uint 800000 random 0 39999
//! arg row: buffer uint 40001 zero
//! arg path: buffer uint 655360 zero
//! arg length: buffer short 16384 zero
//! arg seed: ulong 88172645463325252
//! prepare 1: degree row

#define STEPS 40

kernel void prepare(global const uchar *degree, global uint *row)
{
    uint sum = 0;
    for (int v = 0; v < 40000; v++) {
        row[v] = sum;
        sum += degree[v];
    }
    row[40000] = sum;
}

kernel void walk(global const uchar *degree, global const uint *target, global const uint *row, global uint *path,
                 global short *length, ulong seed)
{
    uint id = get_global_id(0);
    uint walks = get_global_size(0);
    ulong s = seed ^ ((ulong)(id + 1) * 0x9e3779b97f4a7c15UL);
    uint home = (id * 7919u) % 40000u;
    uint v = home;
    int k = 0;

    for (; k < STEPS; k++) {
        path[k * walks + id] = v;
        uint first = row[v];
        uint d = row[v + 1] - first;
        if (d == 0)
            break;
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        uint r = (uint)(s >> 32);
        if ((r & 15) == 0)
            v = home;
        else
            v = target[first + mul_hi(r, d)];
    }
    length[id] = (short)k;
}
