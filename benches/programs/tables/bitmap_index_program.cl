// Combines bitmap index columns with and, or, and-not and xor as a small program of opcodes says, counts ones, and
// lists the first rows of every stretch by counting zeros.
//! kernel combine
//! global 262144
//! local 128
//! arg bitmaps: buffer uint 4194304 random 0 4294967295
//! arg program: buffer uchar 16 random 0 31
//! arg out: buffer ulong 262144 zero
//! arg ones: buffer uchar 262144 zero
//! arg first: buffer char 1048576 zero

kernel void combine(global const uint2 *bitmaps, constant uchar *program, global ulong *out, global uchar *ones,
                    global char4 *first)
{
    const size_t i = get_global_id(0), n = get_global_size(0);
    ulong x = as_ulong(bitmaps[i]);
    for (int pc = 0; pc < 12; pc++) {
        const ulong y = as_ulong(bitmaps[(program[pc] & 7) * n + i]);
        switch (program[pc] >> 3) {
        case 0: x &= y; break;
        case 1: x |= y; break;
        case 2: x &= ~y; break;
        default: x ^= rotate(y, (ulong)pc); break;
        }
    }
    out[i] = x;
    ones[i] = popcount(x);
    char f[4] = {-1, -1, -1, -1};
    for (int k = 0; k < 4 && x; k++) {
        f[k] = 63 - (char)clz(x & (0 - x));
        x &= x - 1;
    }
    first[i] = vload4(0, f);
}
