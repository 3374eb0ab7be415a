// Solves many sudoku puzzles by depth-first search with bit masks of used digits; blanks are filled in order with an
// explicit stack, and a search that takes too long gives up.
//! kernel sudoku
//! global 512
//! local 16
//! arg shuffle: buffer uint 512 random 0 4294967295
//! arg hide: buffer uchar 41472 random 0 99
//! arg puzzle: buffer char 41472 zero
//! arg solved: buffer char 41472 zero
//! arg tries: buffer int 512 zero
//! prepare 512: shuffle hide puzzle

kernel void prepare(global const uint *shuffle, global const uchar *hide, global char *puzzle)
{
    int id = get_global_id(0);
    uint s = shuffle[id];
    for (int r = 0; r < 9; r++)
        for (int c = 0; c < 9; c++) {
            int band = (r / 3 + (s & 3)) % 3, row = (r + (s >> 2)) % 3;
            int base = (row * 3 + band + (c + (s >> 5) % 9) % 9) % 9;
            int digit = 1 + (base * ((s >> 10) % 2 ? 2 : 5) + (s >> 12) % 9) % 9;
            int k = id * 81 + r * 9 + c;
            puzzle[k] = hide[k] < 48 ? 0 : digit;
        }
}

kernel void sudoku(global const uint *shuffle, global const uchar *hide, global const char *puzzle, global char *solved,
                   global int *tries)
{
    int id = get_global_id(0);
    ushort row[9], col[9], box[9], choice[81];
    char cell[81];
    uchar blank[81];
    int blanks = 0, steps = 0;
    for (int i = 0; i < 9; i++)
        row[i] = col[i] = box[i] = 0;
    for (int k = 0; k < 81; k++) {
        cell[k] = puzzle[id * 81 + k];
        ushort bit = cell[k] ? 1 << (cell[k] - 1) : 0;
        row[k / 9] |= bit;
        col[k % 9] |= bit;
        box[k / 27 * 3 + k % 9 / 3] |= bit;
        if (bit == 0)
            blank[blanks++] = k;
    }
    int at = 0;
    bool fresh = true;
    while (at >= 0 && at < blanks && steps < 3000) {
        int k = blank[at], r = k / 9, c = k % 9, b = k / 27 * 3 + k % 9 / 3;
        steps++;
        if (fresh) {
            choice[at] = 0x1ff & ~(row[r] | col[c] | box[b]);
        } else {
            ushort old = 1 << (cell[k] - 1);
            row[r] ^= old;
            col[c] ^= old;
            box[b] ^= old;
        }
        ushort bit = choice[at] & -choice[at];
        if (bit == 0) {
            cell[k] = 0;
            fresh = false;
            at--;
            continue;
        }
        choice[at] ^= bit;
        row[r] |= bit;
        col[c] |= bit;
        box[b] |= bit;
        cell[k] = 16 - (int)clz(bit);
        fresh = true;
        at++;
    }
    for (int k = 0; k < 81; k++)
        solved[id * 81 + k] = cell[k];
    tries[id] = at == blanks ? steps : -steps;
}
