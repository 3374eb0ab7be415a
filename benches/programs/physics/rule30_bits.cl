// One-dimensional cellular automaton (rule 30) on rings of 4096 cells packed in 64 words of 64 bits: a work-group steps
// one ring in local memory, two buffers taking turns.
//! kernel rule30
//! global 8192
//! local 64
//! arg cells: buffer ulong 8192 random 0 1000000000
//! arg result: buffer ulong 8192 zero
//! arg alive: buffer uint 8192 zero
//! arg a: local 512
//! arg b: local 512
//! arg steps: int 300

kernel void rule30(global const ulong *cells, global ulong *result, global uint *alive, local ulong *a, local ulong *b,
                   int steps)
{
    uint lid = get_local_id(0);
    uint n = get_local_size(0);
    uint count = 0;
    local ulong *cur = a;
    local ulong *nxt = b;
    cur[lid] = cells[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int s = 0; s < steps; s++) {
        ulong c = cur[lid];
        ulong before = cur[(lid + n - 1) % n];
        ulong after = cur[(lid + 1) % n];
        ulong l = (c << 1) | (before >> 63);
        ulong r = (c >> 1) | (after << 63);
        ulong v = l ^ (c | r);
        nxt[lid] = v;
        count += (uint)popcount(v);
        barrier(CLK_LOCAL_MEM_FENCE);
        local ulong *t = cur;
        cur = nxt;
        nxt = t;
    }
    result[get_global_id(0)] = cur[lid];
    alive[get_global_id(0)] = count;
}
