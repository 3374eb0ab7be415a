// Boyer-Moore-Horspool over chunks of a text: the group makes the skip table in local memory, each work-item searches
// its own chunk with an overlap and notes the first match and the number of matches.
//! kernel horspool
//! global 2048
//! local 64
//! arg text: buffer uchar 2097152 random 97 100
//! arg pattern: buffer uchar 5 random 97 100
//! arg first: buffer int 2048 zero
//! arg matches: buffer uint 2048 zero
//! arg shifts: buffer uint 2048 zero
//! arg n: int 2097152

#define M 5

kernel void horspool(global const uchar *text, constant uchar *pattern, global int *first, global uint *matches,
                     global uint *shifts, int n)
{
    local uchar skip[256];
    for (int i = get_local_id(0); i < 256; i += get_local_size(0)) {
        uchar s = M;
        for (int k = 0; k < M - 1; k++)
            if (pattern[k] == i)
                s = M - 1 - k;
        skip[i] = s;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int id = get_global_id(0), chunk = n / get_global_size(0);
    const int end = min(n, (id + 1) * chunk + M - 1);
    int pos = id * chunk, where = -1;
    uint found = 0, moves = 0;
    while (pos + M <= end) {
        int k = M - 1;
        while (k >= 0 && text[pos + k] == pattern[k])
            k--;
        if (k < 0) {
            if (where < 0)
                where = pos;
            found++;
        }
        pos += skip[text[pos + M - 1]];
        moves++;
    }
    first[id] = where;
    matches[id] = found;
    shifts[id] = moves;
}
