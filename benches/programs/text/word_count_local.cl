// Counts the lines, words and letters, regardless of case, in the pieces of a text with local atomics; one row of 32
// counters for each group.
//! kernel wc
//! global 65536
//! local 256
//! arg text: buffer uchar 2097152 random 0 255
//! arg words: buffer uint 256 zero
//! arg lines: buffer uint 256 zero
//! arg letters: buffer uint 8192 zero

static bool is_letter(uchar c)
{
    return (uchar)((c | 32) - 'a') < 26;
}

static uchar character(uchar raw)
{
    return raw >= 230 ? ' ' : raw >= 225 ? '\n' : raw < 52 ? raw + 'A' : 'a' + raw % 26;
}

kernel void wc(global const uchar *text, global uint *words, global uint *lines, global uint *letters)
{
    local uint count[32], w, l;
    const uint lid = get_local_id(0), group = get_group_id(0), piece = 32 * 256;
    if (lid < 32)
        count[lid] = 0;
    if (lid == 0)
        w = l = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint my_words = 0, my_lines = 0;
    for (uint i = lid; i < piece; i += 256) {
        const uint at = group * piece + i;
        const uchar c = character(text[at]);
        const uchar before = at ? character(text[at - 1]) : ' ';
        if (is_letter(c)) {
            atomic_inc(&count[(c | 32) - 'a']);
            my_words += !is_letter(before);
        }
        my_lines += c == '\n';
    }
    atomic_add(&w, my_words);
    atomic_add(&l, my_lines);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < 32)
        letters[group * 32 + lid] = count[lid];
    if (lid == 0) {
        words[group] = w;
        lines[group] = l;
    }
}
