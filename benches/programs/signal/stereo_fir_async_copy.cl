// Stereo audio in shorts: a block with its history is copied to local memory asynchronously, channels are swapped and
// filtered by eight taps, and the bytes of the result are turned round with shuffle for a big-endian file.
//! kernel process
//! global 131072
//! local 128
//! arg in: buffer short 2097168 random -32768 32767
//! arg taps: buffer short 8 random -4000 4000
//! arg out: buffer uchar 4194304 zero

#define SAMPLES 2048

kernel void process(global const short *in, constant short *taps, global uchar *out)
{
    local short block[SAMPLES + 16];
    const int lid = get_local_id(0), group = get_group_id(0);
    event_t e = async_work_group_copy(block, in + group * SAMPLES, SAMPLES + 16, 0);
    wait_group_events(1, &e);
    for (int half_block = 0; half_block < 2; half_block++) {
        const int at = (half_block * 128 + lid) * 8;
        int8 acc = 1 << 14;
        for (int t = 0; t < 8; t++)
            acc += convert_int8(vload8(0, block + at + 2 * t)) * taps[t];
        const short8 s = convert_short8_sat(acc >> 15).s10325476;
        const uchar16 order = (uchar16)(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
        vstore16(shuffle(as_uchar16(s), order), group * 256 + half_block * 128 + lid, out);
    }
}
