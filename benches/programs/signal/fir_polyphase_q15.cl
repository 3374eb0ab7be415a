// Resamples 16-bit audio by 3/2 with a polyphase filter in fixed point: 24 taps per phase, 32-bit accumulation,
// rounding and saturation.
//! kernel polyphase
//! global 393216
//! local 128
//! arg in: buffer short 262176 random -32768 32767
//! arg taps: buffer short 72 random -4000 6000
//! arg out: buffer short 393216 zero
//! arg count: int 393000

kernel void polyphase(global const short *in, constant short *taps, global short *out, int count)
{
    int o = get_global_id(0);
    if (o >= count)
        return;
    int pos = o * 2;
    int phase = pos % 3;
    int base = pos / 3;
    int acc = 1 << 14;

    for (int k = 0; k < 24; k += 4) {
        short4 x = vload4(0, in + base + k);
        short4 h = (short4)(taps[k * 3 + phase], taps[(k + 1) * 3 + phase],
                            taps[(k + 2) * 3 + phase], taps[(k + 3) * 3 + phase]);
        int4 p = convert_int4(x) * convert_int4(h);
        acc += (p.x + p.y >> 2) + (p.z + p.w >> 2);
    }
    out[o] = convert_short_sat(acc >> 13);
}
