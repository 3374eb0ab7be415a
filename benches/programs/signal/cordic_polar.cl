// Converts complex 16-bit samples to magnitude and phase by CORDIC rotations with shifts and adds, vectors of four
// samples at a time.
//! kernel cordic
//! global 131072
//! local 64
//! arg iq: buffer short 1048576 random -32000 32000
//! arg mag: buffer ushort 524288 zero
//! arg phase: buffer short 524288 zero

constant short angle[14] = {8192, 4836, 2555, 1297, 651, 326, 163, 81, 41, 20, 10, 5, 3, 1};

kernel void cordic(global const short8 *iq, global ushort4 *mag, global short4 *phase)
{
    size_t i = get_global_id(0);
    short8 v = iq[i];
    int4 x = convert_int4(v.even) << 4;
    int4 y = convert_int4(v.odd) << 4;
    int4 turn = select((int4)(0), (int4)(32768), x < 0);
    y = select(y, -y, x < 0);
    x = select(x, -x, x < 0);
    int4 z = turn;

    for (int k = 0; k < 14; k++) {
        int4 up = y >= 0;
        int4 dx = y >> k, dy = x >> k;
        int4 a = (int4)(angle[k]);
        x += select(-dx, dx, up);
        y -= select(-dy, dy, up);
        z += select(-a, a, up);
    }
    mag[i] = convert_ushort4_sat((x >> 4) * 4975 >> 13);
    phase[i] = as_short4(convert_ushort4(z & 0xffff));
}
