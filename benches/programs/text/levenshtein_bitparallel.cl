// Myers' bit-parallel edit distance: patterns of 64 letters in one ulong against texts, with the letter masks in a
// private table of 16 entries.
//! kernel myers
//! global 8192
//! local 64
//! arg patterns: buffer uchar 524288 random 0 15
//! arg texts: buffer uchar 786432 random 0 15
//! arg score: buffer short 8192 zero
//! arg best: buffer short 8192 zero
//! arg text_length: int 96

kernel void myers(global const uchar *patterns, global const uchar *texts, global short *score, global short *best,
                  int text_length)
{
    const size_t id = get_global_id(0);
    ulong peq[16];
    for (int i = 0; i < 16; i++)
        peq[i] = 0;
    for (int i = 0; i < 64; i++)
        peq[patterns[id * 64 + i]] |= 1UL << i;
    ulong pv = ~0UL, mv = 0;
    int s = 64, least = 64;
    for (int j = 0; j < text_length; j++) {
        const ulong eq = peq[texts[id * text_length + j]];
        const ulong xv = eq | mv;
        const ulong xh = (((eq & pv) + pv) ^ pv) | eq;
        ulong ph = mv | ~(xh | pv), mh = pv & xh;
        s += (int)(ph >> 63) - (int)(mh >> 63);
        least = min(least, s);
        ph <<= 1;
        mh <<= 1;
        pv = mh | ~(xv | ph);
        mv = ph & xv;
    }
    score[id] = s;
    best[id] = least;
}
