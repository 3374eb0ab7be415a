// Quasi-random Brownian bridges of 16 dates: Sobol points from direction numbers, the inverse normal distribution by
// rational approximation, then the bridge filled in a private array.
//! kernel bridge
//! global 49152
//! local 64
//! arg seeds: buffer uint 512 random 0 4294967295
//! arg directions: buffer uint 512 zero
//! arg path: buffer float 786432 zero
//! arg payoff: buffer float 49152 zero
//! prepare 512: seeds directions
//! tolerance 2e-4

#define DATES 16

kernel void prepare(global const uint *seeds, global uint *directions)
{
    int k = get_global_id(0), bit = k & 31;
    uint lead = 1u << (31 - bit);
    directions[k] = lead | (seeds[k] & ~(2u * lead - 1u) & (bit == 0 ? 0u : ~0u));
}

float inverse_normal(float p)
{
    float q = fmin(p, 1.0f - p);
    float t = sqrt(-2.0f * log(q));
    float num = 2.515517f + t * (0.802853f + t * 0.010328f);
    float den = 1.0f + t * (1.432788f + t * (0.189269f + t * 0.001308f));
    float x = t - num / den;
    return p < 0.5f ? -x : x;
}

kernel void bridge(global const uint *seeds, global const uint *directions, global float *path, global float *payoff)
{
    uint id = get_global_id(0), n = get_global_size(0);
    uint gray = (id + 1) ^ ((id + 1) >> 1);
    float z[DATES], w[DATES + 1];

    for (int d = 0; d < DATES; d++) {
        uint x = 0;
        for (uint g = gray, bit = 0; g != 0; g >>= 1, bit++)
            if (g & 1)
                x ^= directions[d * 32 + bit];
        z[d] = inverse_normal(((x >> 9) + 0.5f) * (1.0f / 8388608.0f));
    }
    w[0] = 0.0f;
    w[DATES] = z[0] * 4.0f;
    int used = 1;
    for (int step = DATES; step > 1; step /= 2)
        for (int left = 0; left < DATES; left += step) {
            float mean = 0.5f * (w[left] + w[left + step]);
            w[left + step / 2] = mean + z[used++] * sqrt(0.25f * step);
        }
    float sum = 0.0f;
    for (int t = 1; t <= DATES; t++) {
        path[(t - 1) * n + id] = w[t];
        sum += exp(0.05f * w[t]);
    }
    payoff[id] = fmax(sum / DATES - 1.0f, 0.0f);
}
