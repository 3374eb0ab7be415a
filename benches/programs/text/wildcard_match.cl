// Matches strings against patterns with ? and * by the two-pointer method with backtracking to the last star.
//! kernel glob
//! global 24576
//! arg names: buffer uchar 589824 random 97 99
//! arg lengths: buffer uchar 24576 random 5 24
//! arg patterns: buffer uchar 128 random 0 9
//! arg out: buffer uchar 24576 zero
//! arg steps: buffer ushort 24576 zero

static uchar pattern_char(uchar r)
{
    return r < 5 ? 'a' + r % 3 : r < 8 ? '*' : '?';
}

kernel void glob(global const uchar *names, global const uchar *lengths, constant uchar *patterns, global uchar *out,
                 global ushort *steps)
{
    const int id = get_global_id(0), n = lengths[id];
    global const uchar *s = names + id * 24;
    uchar mask = 0;
    int work = 0;
    for (int k = 0; k < 8; k++) {
        constant uchar *p = patterns + k * 16;
        const int m = 8 + k;
        int i = 0, j = 0, star = -1, mark = 0;
        bool ok = true;
        while (i < n) {
            work++;
            const uchar c = j < m ? pattern_char(p[j]) : 0;
            if (c == '*') {
                star = j++;
                mark = i;
            } else if (c == '?' || c == s[i]) {
                i++;
                j++;
            } else if (star >= 0) {
                j = star + 1;
                i = ++mark;
            } else {
                ok = false;
                break;
            }
        }
        while (ok && j < m && pattern_char(p[j]) == '*')
            j++;
        if (ok && j == m)
            mask |= 1 << k;
    }
    out[id] = mask;
    steps[id] = work;
}
