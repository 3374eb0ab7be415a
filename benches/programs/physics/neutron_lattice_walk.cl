// Neutrons walk a lattice of four materials until they are absorbed, escape or grow too old; every draw is an integer,
// so histories are exact. Long and short walks share a group.
//! kernel neutron_walk
//! global 20000
//! arg grid: buffer uchar 32768 random 0 3
//! arg capture: buffer uint 4 random 20000000 300000000
//! arg fate: buffer int 40000 zero
//! arg max_steps: int 200
//! arg seed: uint 9871

uint next_random(uint *state)
{
    uint x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    *state = x;
    return x * 0x9e3779b9u;
}

kernel void neutron_walk(global const uchar *grid, global const uint *capture, global int *fate, int max_steps,
                         uint seed)
{
    uint id = get_global_id(0);
    uint rng = (id + 1) * 2654435761u ^ seed;
    int x = 16, y = 16, z = 16, dir = id % 6, steps = 0, scatters = 0;
    int result = 0;

    while (steps < max_steps) {
        int d = (dir & 1) ? 1 : -1;
        switch (dir >> 1) {
        case 0: x += d; break;
        case 1: y += d; break;
        default: z += d; break;
        }
        steps++;
        if ((x | y | z) & ~31) {
            result = -(dir + 1);
            break;
        }
        uchar mat = grid[(z * 32 + y) * 32 + x];
        uint draw = next_random(&rng);
        if (draw < capture[mat]) {
            result = 1 + (z * 32 + y) * 32 + x;
            break;
        }
        if (mat != 0 && (draw & 3) < mat) {
            dir = next_random(&rng) % 6u;
            scatters++;
        }
    }
    fate[2 * id] = result;
    fate[2 * id + 1] = steps << 16 | scatters;
}
