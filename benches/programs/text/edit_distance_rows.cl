// Levenshtein distance of one query to many dictionary words with a single private row, stopping when a row's least
// value exceeds the bound.
//! kernel distances
//! global 32768
//! arg words: buffer uchar 524288 random 97 110
//! arg lengths: buffer uchar 32768 random 3 16
//! arg query: buffer uchar 16 random 97 110
//! arg out: buffer uchar 32768 zero
//! arg bound: int 9
//! arg query_length: int 13

kernel void distances(global const uchar *words, global const uchar *lengths, constant uchar *query, global uchar *out,
                      int bound, int query_length)
{
    const int id = get_global_id(0), n = lengths[id];
    global const uchar *word = words + id * 16;
    uchar row[17];
    for (int j = 0; j <= query_length; j++)
        row[j] = j;
    for (int i = 1; i <= n; i++) {
        uchar diagonal = row[0], least = i;
        row[0] = i;
        const uchar c = word[i - 1];
        for (int j = 1; j <= query_length; j++) {
            const uchar old = row[j];
            const uchar change = diagonal + (c != query[j - 1]);
            row[j] = min(min((uchar)(old + 1), (uchar)(row[j - 1] + 1)), change);
            least = min(least, row[j]);
            diagonal = old;
        }
        if (least > bound) {
            out[id] = 255;
            return;
        }
    }
    out[id] = row[query_length];
}
