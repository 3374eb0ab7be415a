// Segmented sieve of Eratosthenes: a group sieves one stretch of odd numbers in a byte map in local memory, then packs
// it to bits and counts the primes.
//! kernel sieve
//! global 16384
//! local 128
//! arg small: buffer ushort 1024 zero
//! arg bits: buffer uint 131072 zero
//! arg counts: buffer uint 128 zero
//! arg primes: int 1024
//! prepare 1: small

#define SPAN 32768

kernel void prepare(global ushort *small)
{
    int n = 0;
    for (int c = 3; n < 1024; c += 2) {
        bool prime = true;
        for (int d = 3; d * d <= c && prime; d += 2)
            prime = c % d != 0;
        if (prime)
            small[n++] = c;
    }
}

kernel void sieve(global const ushort *small, global uint *bits, global uint *counts, int primes)
{
    local uchar composite[SPAN];
    local uint total;
    const uint lid = get_local_id(0), n = get_local_size(0), seg = get_group_id(0);
    const uint first = 1 + 2 * SPAN * seg;
    for (uint i = lid; i < SPAN / 4; i += n)
        ((local uint *)composite)[i] = 0;
    if (lid == 0)
        total = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = lid; k < primes; k += n) {
        const uint p = small[k];
        if (p * p >= first + 2 * SPAN)
            break;
        uint start = p * p;
        if (start < first) {
            start = first + (p - first % p) % p;
            if ((start & 1) == 0)
                start += p;
        }
        for (uint j = (start - first) / 2; j < SPAN; j += p)
            composite[j] = 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint mine = 0;
    for (uint w = lid; w < SPAN / 32; w += n) {
        uint word = 0;
        for (uint b = 0; b < 32; b++)
            if (!composite[w * 32 + b])
                word |= 1u << b;
        mine += popcount(word);
        bits[seg * (SPAN / 32) + w] = word;
    }
    atomic_add(&total, mine);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0)
        counts[seg] = total;
}
