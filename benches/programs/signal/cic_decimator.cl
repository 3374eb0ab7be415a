// CIC decimator of a 1-bit pulse stream: four integrators at the full rate, four combs at the low rate, wrapping 32-bit
// sums.
//! kernel cic
//! global 4096
//! arg stream: buffer uint 262144 random 0 4294967295
//! arg out: buffer int 262144 zero
//! arg factor: int 32

kernel void cic(global const uint *stream, global int *out, int factor)
{
    int ch = get_global_id(0);
    uint acc[4] = {0, 0, 0, 0}, delay[4] = {0, 0, 0, 0};
    for (int i = 0; i < 64; i++) {
        uint word = stream[ch * 64 + i];
        for (int b = 0; b < factor; b++) {
            acc[0] += (word >> (b & 31)) & 1 ? 1 : -1;
            for (int k = 1; k < 4; k++)
                acc[k] += acc[k - 1];
        }
        uint v = acc[3];
        for (int k = 0; k < 4; k++) {
            uint t = v - delay[k];
            delay[k] = v;
            v = t;
        }
        out[ch * 64 + i] = (int)v >> 4;
    }
}
