// Soundex codes of names in fixed columns of 20 bytes.
//! kernel soundex
//! global 100000
//! arg names: buffer uchar 2000000 random 0 31
//! arg codes: buffer uchar 400000 zero
//! arg rows: uint 100000

constant uchar code_of[26] = {0, 1, 2, 3, 0, 1, 2, 255, 0, 2, 2, 4, 5, 5, 0, 1, 2, 6, 2, 3, 0, 1, 255, 2, 0, 2};

kernel void soundex(global const uchar *names, global uchar *codes, uint rows)
{
    const uint row = get_global_id(0);
    if (row >= rows)
        return;
    uchar out[4] = {'0', '0', '0', '0'};
    int n = 0;
    uchar last = 0;
    for (int i = 0; i < 20 && n < 4; i++) {
        const uchar c = names[row * 20 + i];
        if (c >= 26) {
            if (c > 29 && n)
                break;
            continue;
        }
        const uchar k = code_of[c];
        if (n == 0) {
            out[n++] = 'A' + c;
            last = k;
        } else if (k == 0) {
            last = 0;
        } else if (k != 255 && k != last) {
            out[n++] = '0' + k;
            last = k;
        }
    }
    vstore4(vload4(0, out), row, codes);
}
