// Gallager bit flipping for a quasi-cyclic LDPC code of 512 bits in local memory: checks, votes, flips, until all
// checks hold or the rounds are used up.
//! kernel ldpc
//! global 32768
//! local 128
//! arg noise: buffer ushort 131072 random 0 65535
//! arg shifts: buffer uchar 16 random 0 127
//! arg out: buffer uchar 131072 zero
//! arg rounds: buffer uchar 256 zero
//! arg most: int 10

#define Z 128

kernel void ldpc(global const ushort *noise, constant uchar *shifts, global uchar *out, global uchar *rounds, int most)
{
    local uchar bit[4][Z], check[3][Z];
    local int unsatisfied;
    const int lid = get_local_id(0), word = get_group_id(0);
    for (int c = 0; c < 4; c++)
        bit[c][lid] = noise[(word * 4 + c) * Z + lid] < 700;
    int r = 0;
    for (; r < most; r++) {
        if (lid == 0)
            unsatisfied = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        int bad = 0;
        for (int j = 0; j < 3; j++) {
            uchar parity = 0;
            for (int c = 0; c < 4; c++)
                parity ^= bit[c][(lid + shifts[j * 4 + c]) % Z];
            check[j][lid] = parity;
            bad += parity;
        }
        if (bad)
            atomic_add(&unsatisfied, bad);
        barrier(CLK_LOCAL_MEM_FENCE);
        const int left = unsatisfied;
        if (left == 0)
            break;
        for (int c = 0; c < 4; c++) {
            int votes = 0;
            for (int j = 0; j < 3; j++)
                votes += check[j][(lid + Z - shifts[j * 4 + c]) % Z];
            if (votes >= 3 - (r & 1))
                bit[c][lid] ^= 1;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int c = 0; c < 4; c++)
        out[(word * 4 + c) * Z + lid] = bit[c][lid];
    if (lid == 0)
        rounds[word] = r;
}
