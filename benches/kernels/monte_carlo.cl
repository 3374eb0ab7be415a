#pragma OPENCL EXTENSION cl_khr_fp64 : enable
// Price of a European call by simulation in double precision: xorshift numbers, normal ones by Box and Muller.
static double uniform_number(ulong *state)
{
    ulong x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return ((double)((x * 0x2545f4914f6cdd1dUL) >> 11) + 0.5) * 0x1.0p-53;
}

kernel void monte_carlo(global double *restrict sums, uint paths, double price, double strike, double drift,
                        double deviation)
{
    size_t item = get_global_id(0);
    ulong state = (item + 1) * 0x9e3779b97f4a7c15UL;
    double sum = 0.0;
    for (uint i = 0; i < paths; ++i) {
        double radius = sqrt(-2.0 * log(uniform_number(&state)));
        double angle = 6.283185307179586 * uniform_number(&state);
        double end = price * exp(drift + deviation * radius * cos(angle));
        sum += fmax(end - strike, 0.0);
    }
    sums[item] = sum;
}
