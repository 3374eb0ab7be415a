// Number-theoretic transform of 512 points modulo 998244353 in local memory, one polynomial per group, decimation in
// frequency; the powers of the root come from a table.
//! kernel ntt512
//! global 65536
//! local 128
//! arg a: buffer uint 262144 random 0 998244352
//! arg roots: buffer uint 256 zero
//! arg out: buffer uint 262144 zero
//! prepare 1: roots

#define MOD 998244353u
#define N 512

kernel void prepare(global uint *roots)
{
    ulong g = 3, e = (MOD - 1) / N, w = 1, x = 1;
    for (; e; e >>= 1, g = g * g % MOD)
        if (e & 1)
            w = w * g % MOD;
    for (int i = 0; i < N / 2; i++, x = x * w % MOD)
        roots[i] = x;
}

static uint mulmod(uint a, uint b)
{
    const ulong x = (ulong)a * b;
    const ulong q = mul_hi(x, 18479187002UL);
    uint r = (uint)(x - q * MOD);
    if (r >= MOD)
        r -= MOD;
    return r >= MOD ? r - MOD : r;
}

kernel void ntt512(global const uint *a, global const uint *roots, global uint *out)
{
    local uint s[N];
    local uint w[N / 2];
    const uint lid = get_local_id(0), base = get_group_id(0) * N;
    for (uint i = lid; i < N; i += 128)
        s[i] = a[base + i];
    for (uint i = lid; i < N / 2; i += 128)
        w[i] = roots[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_n = N / 2, step = 1; half_n > 0; half_n >>= 1, step <<= 1) {
        for (uint k = lid; k < N / 2; k += 128) {
            const uint j = k & (half_n - 1), i = (k - j) * 2 + j;
            const uint u = s[i], v = s[i + half_n];
            const uint sum = u + v, diff = u + MOD - v;
            s[i] = sum >= MOD ? sum - MOD : sum;
            s[i + half_n] = mulmod(diff >= MOD ? diff - MOD : diff, w[j * step]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint i = lid; i < N; i += 128) {
        uint r = 0;
        for (uint b = 1, k = i; b < N; b <<= 1, k >>= 1)
            r = (r << 1) | (k & 1);
        out[base + r] = s[i];
    }
}
