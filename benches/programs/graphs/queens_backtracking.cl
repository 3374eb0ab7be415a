// Counts the solutions of the queens puzzle on a 12 x 12 board: each work-item fixes the first three rows from its
// number and searches the rest with bit masks and a private stack.
//! kernel queens
//! global 1728
//! local 64
//! arg solutions: buffer uint 1728 zero
//! arg visited: buffer uint 1728 zero
//! arg n: int 12

kernel void queens(global uint *solutions, global uint *visited, int n)
{
    uint gid = get_global_id(0);
    const uint all = (1u << n) - 1u;
    uint cols = 0, left = 0, right = 0;
    uint prefix = gid;
    bool ok = true;

    for (int row = 0; row < 3; row++) {
        uint bit = 1u << (prefix % n);
        prefix /= n;
        if ((cols | left | right) & bit)
            ok = false;
        cols |= bit;
        left = (left | bit) << 1;
        right = (right | bit) >> 1;
    }

    uint found = 0, nodes = 0;
    if (ok) {
        uint s_cols[12], s_left[12], s_right[12], s_free[12];
        int sp = 0;
        s_cols[0] = cols;
        s_left[0] = left;
        s_right[0] = right;
        s_free[0] = all & ~(cols | left | right);
        while (sp >= 0) {
            uint avail = s_free[sp];
            if (avail == 0) {
                sp--;
                continue;
            }
            uint bit = avail & -avail;
            s_free[sp] = avail ^ bit;
            uint c = s_cols[sp] | bit;
            nodes++;
            if (c == all) {
                found++;
                continue;
            }
            uint l = (s_left[sp] | bit) << 1, r = (s_right[sp] | bit) >> 1;
            sp++;
            s_cols[sp] = c;
            s_left[sp] = l;
            s_right[sp] = r;
            s_free[sp] = all & ~(c | l | r);
        }
    }
    solutions[gid] = found;
    visited[gid] = nodes;
}
