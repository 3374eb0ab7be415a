// Reservoir sample of eight rows from each stretch with a small generator, together with the run-length groups of the
// stretch (value and length) written in order.
//! kernel sample
//! global 4096
//! local 64
//! arg rows: buffer uchar 524288 random 0 255
//! arg sample_out: buffer uchar 32768 zero
//! arg runs: buffer uchar 1048576 zero
//! arg run_count: buffer uchar 4096 zero
//! arg seed: uint 2463534242

static uint next(uint *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 17;
    *s ^= *s << 5;
    return *s;
}

kernel void sample(global const uchar *rows, global uchar *sample_out, global uchar2 *runs, global uchar *run_count,
                   uint seed)
{
    const uint id = get_global_id(0);
    global const uchar *p = rows + id * 128;
    uint s = seed ^ (id * 747796405u);
    uchar keep[8];
    uchar2 run = (uchar2)(p[0] >> 6, 0);
    uint n = 0;
    for (uint i = 0; i < 128; i++) {
        if (i < 8) {
            keep[i] = p[i];
        } else {
            const uint j = next(&s) % (i + 1);
            if (j < 8)
                keep[j] = p[i];
        }
        const uchar v = p[i] >> 6;
        if (v == run.x) {
            run.y++;
        } else {
            runs[id * 128 + n++] = run;
            run = (uchar2)(v, 1);
        }
    }
    runs[id * 128 + n++] = run;
    run_count[id] = n;
    vstore8(vload8(0, keep), id, sample_out);
}
