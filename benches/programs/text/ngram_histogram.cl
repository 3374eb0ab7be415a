// Histogram of letter pairs for guessing a language: 27 x 27 counters of a group in local memory as 16-bit halves of
// words with atomics, then a score against four profiles.
//! kernel bigrams
//! global 32768
//! local 128
//! arg text: buffer uchar 1048577 random 0 26
//! arg profiles: buffer short 2916 random -50 50
//! arg counts: buffer ushort 186624 zero
//! arg scores: buffer int 1024 zero

#define PAIRS 729

kernel void bigrams(global const uchar *text, global const short *profiles, global ushort *counts, global int *scores)
{
    local uint packed[(PAIRS + 1) / 2];
    local int score[4];
    const uint lid = get_local_id(0), group = get_group_id(0);
    for (uint i = lid; i < (PAIRS + 1) / 2; i += 128)
        packed[i] = 0;
    if (lid < 4)
        score[lid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = lid; i < 4096; i += 128) {
        const uint at = group * 4096 + i, pair = text[at] * 27 + text[at + 1];
        atomic_add(&packed[pair >> 1], pair & 1 ? 0x10000u : 1u);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    local const ushort *count = (local const ushort *)packed;
    int4 mine = 0;
    for (uint i = lid; i < PAIRS; i += 128) {
        const int c = count[i];
        mine += c * (int4)(profiles[i], profiles[PAIRS + i], profiles[2 * PAIRS + i], profiles[3 * PAIRS + i]);
        if (group < 256)
            counts[group * PAIRS + i] = c;
    }
    atomic_add(&score[0], mine.x);
    atomic_add(&score[1], mine.y);
    atomic_add(&score[2], mine.z);
    atomic_add(&score[3], mine.w);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < 4)
        scores[group * 4 + lid] = score[lid];
}
