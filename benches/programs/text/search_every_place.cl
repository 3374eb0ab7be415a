// Looks for a word at every place of a text, byte by byte, and counts the matches of each group.
//! kernel search
//! global 1048576
//! local 256
//! arg text: buffer uchar 1048576 random 97 100
//! arg word: buffer uchar 8 random 97 100
//! arg counts: buffer int 4096 zero
//! arg flags: buffer uchar 1048576 zero
//! arg n: int 1048576
//! arg m: int 6

kernel void search(global const uchar *text, constant uchar *word, global int *counts, global uchar *flags, int n,
                   int m)
{
    local int hits;
    int i = get_global_id(0);
    if (get_local_id(0) == 0)
        hits = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int k = 0;
    if (i + m <= n)
        while (k < m && text[i + k] == word[k])
            k++;
    flags[i] = k;
    if (k == m)
        atomic_inc(&hits);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        counts[get_group_id(0)] = hits;
}
