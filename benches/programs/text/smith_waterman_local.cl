// Smith-Waterman scores with affine gaps: the query's rows H and E lie in local memory per work-item, the substitution
// matrix is 2-D in constant memory.
//! kernel align
//! global 2048
//! local 16
//! arg subjects: buffer uchar 131072 random 0 7
//! arg lengths: buffer uchar 2048 random 20 64
//! arg query: buffer uchar 48 random 0 7
//! arg scores: buffer short 2048 zero
//! arg ends: buffer uchar 2048 zero

#define Q 48
constant char blosum[8][8] = {
    {4, -1, -2, -2, 0, -1, -1, 0},
    {-1, 5, 0, -2, -3, 1, 0, -2},
    {-2, 0, 6, 1, -3, 0, 0, 0},
    {-2, -2, 1, 6, -3, 0, 2, -1},
    {0, -3, -3, -3, 9, -3, -4, -3},
    {-1, 1, 0, 0, -3, 5, 2, -2},
    {-1, 0, 0, 2, -4, 2, 5, -2},
    {0, -2, 0, -1, -3, -2, -2, 6}};

kernel void align(global const uchar *subjects, global const uchar *lengths, constant uchar *query,
                  global short *scores, global uchar *ends)
{
    local short h_row[Q][16], e_row[Q][16];
    const int lid = get_local_id(0), id = get_global_id(0), n = lengths[id];
    for (int j = 0; j < Q; j++) {
        h_row[j][lid] = 0;
        e_row[j][lid] = -100;
    }
    short best = 0;
    uchar end = 0;
    for (int i = 0; i < n; i++) {
        const uchar c = subjects[id * 64 + i];
        short diagonal = 0, f = -100, left = 0;
        for (int j = 0; j < Q; j++) {
            const short up = h_row[j][lid];
            const short e = max((short)(e_row[j][lid] - 1), (short)(up - 5));
            f = max((short)(f - 1), (short)(left - 5));
            short h = max((short)0, (short)(diagonal + blosum[c][query[j]]));
            h = max(h, max(e, f));
            diagonal = up;
            h_row[j][lid] = left = h;
            e_row[j][lid] = e;
            if (h > best) {
                best = h;
                end = i;
            }
        }
    }
    scores[id] = best;
    ends[id] = end;
}
