// Deterministic Miller-Rabin for 40-bit odd numbers after trial division by small primes; counts the primes of each
// group in local memory.
//! kernel primes
//! global 8192
//! local 64
//! arg numbers: buffer uint 8192 random 0 4294967295
//! arg is_prime: buffer uchar 8192 zero
//! arg per_group: buffer int 128 zero

constant ushort small[12] = {3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41};

ulong mulmod(ulong a, ulong b, ulong m)
{
    ulong hi = mul_hi(a, b), lo = a * b;
    double inv = 1.0 / (double)m;
    if (hi == 0)
        return lo % m;
    ulong q = (ulong)((double)a * (double)b * inv);
    long r = (long)(lo - q * m);
    while (r < 0)
        r += m;
    while (r >= (long)m)
        r -= m;
    return r;
}

ulong powmod(ulong b, ulong e, ulong m)
{
    ulong r = 1;
    while (e) {
        if (e & 1)
            r = mulmod(r, b, m);
        b = mulmod(b, b, m);
        e >>= 1;
    }
    return r;
}

bool witness(ulong n, ulong a)
{
    ulong d = n - 1;
    int s = 0;
    while (!(d & 1)) {
        d >>= 1;
        s++;
    }
    ulong x = powmod(a, d, n);
    if (x == 1 || x == n - 1)
        return false;
    while (--s > 0) {
        x = mulmod(x, x, n);
        if (x == n - 1)
            return false;
    }
    return true;
}

kernel void primes(global const uint *numbers, global uchar *is_prime, global int *per_group)
{
    local int total;
    const size_t i = get_global_id(0);
    if (get_local_id(0) == 0)
        total = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const ulong n = ((ulong)numbers[i] << 8) | (numbers[i] * 2654435761u >> 24) | 1;
    bool composite = n < 64;
    for (int k = 0; k < 12 && !composite; k++)
        composite = n % small[k] == 0;
    const ulong bases[5] = {2, 13, 23, 1662803, 61};
    for (int k = 0; k < 5 && !composite; k++)
        composite = witness(n, bases[k]);
    is_prime[i] = !composite;
    if (!composite)
        atomic_inc(&total);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        per_group[get_group_id(0)] = total;
}
