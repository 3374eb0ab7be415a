// Metropolis sweep of one colour of a checkerboard of Ising spins kept as bytes; random numbers come from an integer
// hash of site and step, acceptance from a table of odds.
//! kernel ising_half_sweep
//! global 512 1024
//! local 64 1
//! arg spin: buffer char 1048576 random 0 1
//! arg next: buffer char 1048576 zero
//! arg energy: buffer short 524288 zero
//! arg odds: buffer uint 5 zero
//! arg step: uint 77
//! prepare 1: odds

kernel void prepare(global uint *odds)
{
    odds[0] = odds[1] = odds[2] = 0xffffffffu;
    odds[3] = 735263344u;
    odds[4] = 125870237u;
}

uint hash3(uint a, uint b, uint c)
{
    uint h = a * 0x9e3779b1u ^ rotate(b * 0x85ebca77u, 13u) ^ rotate(c * 0xc2b2ae3du, 7u);
    h ^= h >> 15;
    h *= 0x2c1b3c6du;
    h ^= h >> 12;
    h *= 0x297a2d39u;
    return h ^ (h >> 15);
}

kernel void ising_half_sweep(global const char *spin, global char *next, global short *energy, global const uint *odds,
                             uint step)
{
    int half_w = get_global_size(0), hgt = get_global_size(1), wid = 2 * half_w;
    int hx = get_global_id(0), y = get_global_id(1);
    int colour = step & 1;
    int x = 2 * hx + ((y + colour) & 1);
    int other = y * wid + (x ^ 1);
    int self = y * wid + x;

    char s = spin[self];
    char nb = spin[y * wid + ((x + 1) & (wid - 1))] + spin[y * wid + ((x + wid - 1) & (wid - 1))] +
              spin[((y + 1) & (hgt - 1)) * wid + x] + spin[((y + hgt - 1) & (hgt - 1)) * wid + x];
    int aligned = s ? nb : 4 - nb;
    if (hash3(x, y, step) <= odds[aligned])
        s = 1 - s;
    next[self] = s;
    next[other] = spin[other];
    energy[y * half_w + hx] = (short)((s ? 1 : -1) * (2 * nb - 4));
}
