// Runs the regular expression [a-d]+(e|f)*[0-9]{2,}x? as a table-driven automaton over lines of differing length and
// keeps the leftmost longest match.
//! kernel grep
//! global 8192
//! arg text: buffer uchar 524288 random 0 255
//! arg lengths: buffer uchar 8192 random 0 64
//! arg where: buffer char 8192 zero
//! arg size: buffer uchar 8192 zero

enum { OTHER, LOW, MID, DIGIT, END };
constant uchar dfa[6][5] = {
    {6, 1, 6, 6, 6}, {6, 1, 2, 3, 6}, {6, 6, 2, 3, 6}, {6, 6, 6, 4, 6}, {6, 6, 6, 4, 5}, {6, 6, 6, 6, 6}};

static int classify(uchar c)
{
    if (c >= 'a' && c <= 'd')
        return LOW;
    if (c == 'e' || c == 'f')
        return MID;
    if (c >= '0' && c <= '9')
        return DIGIT;
    return c == 'x' ? END : OTHER;
}

static uchar letter(uchar raw)
{
    return "abcdef0123456789xabcd01234567890"[raw & 31];
}

kernel void grep(global const uchar *text, global const uchar *lengths, global char *where, global uchar *size)
{
    const int line = get_global_id(0), n = lengths[line];
    global const uchar *p = text + line * 64;
    int best = -1, best_len = 0;
    for (int start = 0; start < n && best < 0; start++) {
        int state = 0, last = 0;
        for (int i = start; i < n; i++) {
            state = dfa[state][classify(letter(p[i]))];
            if (state == 6)
                break;
            if (state >= 4)
                last = i - start + 1;
        }
        if (last) {
            best = start;
            best_len = last;
        }
    }
    where[line] = best;
    size[line] = best_len;
}
