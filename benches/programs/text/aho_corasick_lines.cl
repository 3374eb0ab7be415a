// Aho-Corasick over 96 random words of 3 to 6 letters: `prepare` builds the automaton with complete transitions,
// work-items run lines through it and give the number of matches and the last state.
//! kernel match
//! global 16384
//! local 32
//! arg words: buffer uchar 576 random 0 7
//! arg next: buffer ushort 4096 zero
//! arg output: buffer uchar 512 zero
//! arg text: buffer uchar 2097152 random 97 104
//! arg matches: buffer ushort 16384 zero
//! arg states: buffer ushort 16384 zero
//! prepare 1: words next output

kernel void prepare(global const uchar *words, global ushort *next, global uchar *output)
{
    ushort fail[512], queue[512];
    int nodes = 1, head = 0, tail = 0;
    for (int w = 0; w < 96; w++) {
        int s = 0, len = 3 + (w & 3);
        if (nodes + len >= 512)
            break;
        for (int i = 0; i < len; i++) {
            int c = words[w * 6 + i];
            if (!next[s * 8 + c])
                next[s * 8 + c] = nodes++;
            s = next[s * 8 + c];
        }
        output[s]++;
    }
    for (int c = 0; c < 8; c++)
        if (next[c]) {
            fail[next[c]] = 0;
            queue[tail++] = next[c];
        }
    while (head < tail) {
        int s = queue[head++];
        output[s] += output[fail[s]];
        for (int c = 0; c < 8; c++) {
            int t = next[s * 8 + c];
            if (t) {
                fail[t] = next[fail[s] * 8 + c];
                queue[tail++] = t;
            } else {
                next[s * 8 + c] = next[fail[s] * 8 + c];
            }
        }
    }
}

kernel void match(global const uchar *words, global const ushort *next, global const uchar *output,
                  global const uchar *text, global ushort *matches, global ushort *states)
{
    const size_t line = get_global_id(0);
    global const uchar16 *p = (global const uchar16 *)(text + line * 128);
    ushort s = 0, count = 0;
    for (int i = 0; i < 8; i++) {
        uchar16 block = p[i];
        const uchar *c = (const uchar *)&block;
        for (int k = 0; k < 16; k++) {
            s = next[s * 8 + (c[k] - 'a')];
            count += output[s];
        }
    }
    matches[line] = count;
    states[line] = s;
}
