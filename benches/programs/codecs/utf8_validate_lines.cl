// Validates lines of UTF-8 by the rules for lead and trail bytes and counts code points; faulty lines give the place of
// the first error. `prepare` writes the lines and puts a random byte into about half of them.
//! kernel validate
//! global 16384
//! arg noise: buffer uint 524288 random 0 4294967295
//! arg text: buffer uchar 2097152 zero
//! arg points: buffer short 16384 zero
//! arg sum: buffer uint 16384 zero
//! prepare 16384: noise text

kernel void prepare(global const uint *noise, global uchar *text)
{
    size_t line = get_global_id(0);
    uint n = 0;
    for (int i = 0; n + 4 <= 128; i++) {
        uint r = noise[line * 32 + (i & 31)] + i * 40503, cp = r >> 8;
        switch (r & 7) {
        case 0: cp = 0x10000 + cp % 0x100000; break;
        case 1: cp = 0x800 + cp % 0xd000; break;
        case 2: case 3: cp = 0x80 + cp % 0x780; break;
        default: cp = 32 + cp % 95;
        }
        global uchar *p = text + line * 128 + n;
        if (cp < 0x80) {
            p[0] = cp;
            n += 1;
        } else if (cp < 0x800) {
            p[0] = 0xc0 | cp >> 6;
            p[1] = 0x80 | (cp & 63);
            n += 2;
        } else if (cp < 0x10000) {
            p[0] = 0xe0 | cp >> 12;
            p[1] = 0x80 | ((cp >> 6) & 63);
            p[2] = 0x80 | (cp & 63);
            n += 3;
        } else {
            p[0] = 0xf0 | cp >> 18;
            p[1] = 0x80 | ((cp >> 12) & 63);
            p[2] = 0x80 | ((cp >> 6) & 63);
            p[3] = 0x80 | (cp & 63);
            n += 4;
        }
    }
    if (noise[line * 32] & 1)
        text[line * 128 + (noise[line * 32] >> 8) % 120] = noise[line * 32 + 1];
}

kernel void validate(global const uint *noise, global const uchar *text, global short *points, global uint *sum)
{
    const size_t line = get_global_id(0);
    global const uchar *p = text + line * 128;
    int i = 0, count = 0;
    uint total = 0;
    while (i < 128 && p[i]) {
        const uchar c = p[i];
        int more = c < 0x80 ? 0 : c < 0xc2 ? -1 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : c < 0xf5 ? 3 : -1;
        if (more < 0 || i + more >= 128)
            break;
        uint cp = more == 0 ? c : c & (0x3f >> more);
        int k = 1;
        for (; k <= more; k++) {
            if ((p[i + k] & 0xc0) != 0x80)
                break;
            cp = (cp << 6) | (p[i + k] & 0x3f);
        }
        if (k <= more || (more == 2 && (cp < 0x800 || (cp & 0xf800) == 0xd800)) ||
            (more == 3 && (cp < 0x10000 || cp > 0x10ffff)))
            break;
        i += more + 1;
        count++;
        total = total * 31 + cp;
    }
    points[line] = i == 128 || p[i] == 0 ? count : -1 - i;
    sum[line] = total;
}
