// Packs lines of bytes as runs and literals (PackBits) and unpacks them again, one line per work-item.
//! kernel packbits
//! global 2048
//! local 16
//! arg lines: buffer uchar 524288 random 0 255
//! arg packed: buffer uchar 1048576 zero
//! arg sizes: buffer ushort 2048 zero
//! arg errors: buffer uchar 2048 zero

static uchar pixel(global const uchar *line, int i)
{
    uchar v = line[i >> 2];
    return v < 200 ? v >> 6 : line[i] & 15;
}

kernel void packbits(global const uchar *lines, global uchar *packed, global ushort *sizes, global uchar *errors)
{
    const int id = get_global_id(0), n = 256;
    global const uchar *line = lines + id * n;
    global uchar *out = packed + id * 2 * n;
    int i = 0, o = 0;
    while (i < n) {
        int run = 1;
        while (i + run < n && run < 128 && pixel(line, i + run) == pixel(line, i))
            run++;
        if (run >= 3) {
            out[o++] = (uchar)(257 - run);
            out[o++] = pixel(line, i);
            i += run;
            continue;
        }
        int start = o++;
        int lit = 0;
        while (i < n && lit < 128) {
            if (i + 2 < n && pixel(line, i) == pixel(line, i + 1) && pixel(line, i) == pixel(line, i + 2))
                break;
            out[o++] = pixel(line, i++);
            lit++;
        }
        out[start] = lit - 1;
    }
    sizes[id] = o;
    uchar wrong = 0;
    for (int p = 0, at = 0; p < o;) {
        char c = out[p++];
        if (c >= 0)
            for (int k = 0; k <= c; k++)
                wrong |= out[p++] != pixel(line, at++);
        else {
            for (int k = 0; k < 1 - c; k++)
                wrong |= out[p] != pixel(line, at++);
            p++;
        }
    }
    errors[id] = wrong;
}
