// One round of Luby's maximal independent set: a vertex joins when its hashed priority beats that of all undecided
// neighbours, and drops out beside a vertex already chosen.
//! kernel mis_round
//! global 65536
//! local 64
//! arg adj: buffer int 524288 random 0 65535
//! arg state: buffer char 65536 random 0 9
//! arg next: buffer char 65536 zero
//! arg winner: buffer int 65536 zero
//! arg round: uint 3

enum { UNDECIDED = 0, IN_SET = 1, OUT = 2 };

ulong priority(uint v, uint round)
{
    uint h = (v + round * 0x632be5abu) * 0x9e3779b1u;
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    return ((ulong)h << 32) | v;
}

char decode(char s)
{
    return s == 1 ? IN_SET : s > 7 ? OUT : UNDECIDED;
}

kernel void mis_round(global const int *adj, global const char *state, global char *next, global int *winner,
                      uint round)
{
    int v = get_global_id(0);
    char s = decode(state[v]);
    int best_v = v;
    if (s == UNDECIDED) {
        ulong best = priority(v, round);
        global const int8 *list = (global const int8 *)adj + v;
        int8 nb = *list;
        int a[8];
        vstore8(nb, 0, a);
        for (int k = 0; k < 8; k++) {
            int u = a[k];
            char t = decode(state[u]);
            if (t == IN_SET) {
                s = OUT;
                best_v = u;
                break;
            }
            if (t == UNDECIDED && priority(u, round) > best) {
                best = priority(u, round);
                best_v = u;
            }
        }
        if (s != OUT && best_v == v)
            s = IN_SET;
    }
    next[v] = s;
    winner[v] = best_v;
}
