// Montgomery products modulo the prime of the curve secp256k1 with eight 32-bit words; raises each number to a small
// public exponent as RSA verification does.
//! kernel power
//! global 8192
//! local 64
//! arg base: buffer uint 65536 random 0 4294967295
//! arg out: buffer uint 65536 zero
//! arg exponent: uint 65537

#define WORDS 8
constant uint M[WORDS] = {0xfffffc2f, 0xfffffffe, 0xffffffff, 0xffffffff,
                           0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff};
#define M_INV 0xd2253531u

static void mont_mul(uint *r, const uint *a, const uint *b)
{
    uint t[WORDS + 2];
    for (int i = 0; i < WORDS + 2; i++)
        t[i] = 0;
    for (int i = 0; i < WORDS; i++) {
        ulong c = 0;
        for (int j = 0; j < WORDS; j++) {
            c += (ulong)a[j] * b[i] + t[j];
            t[j] = (uint)c;
            c >>= 32;
        }
        c += t[WORDS];
        t[WORDS] = (uint)c;
        t[WORDS + 1] = c >> 32;
        uint m = t[0] * M_INV;
        c = ((ulong)m * M[0] + t[0]) >> 32;
        for (int j = 1; j < WORDS; j++) {
            c += (ulong)m * M[j] + t[j];
            t[j - 1] = (uint)c;
            c >>= 32;
        }
        c += t[WORDS];
        t[WORDS - 1] = (uint)c;
        t[WORDS] = t[WORDS + 1] + (uint)(c >> 32);
    }
    uint borrow = 0, d[WORDS];
    for (int j = 0; j < WORDS; j++) {
        ulong x = (ulong)t[j] - M[j] - borrow;
        d[j] = (uint)x;
        borrow = (x >> 32) & 1;
    }
    bool keep = t[WORDS] < borrow;
    for (int j = 0; j < WORDS; j++)
        r[j] = keep ? t[j] : d[j];
}

kernel void power(global const uint *base, global uint *out, uint exponent)
{
    const size_t at = get_global_id(0) * WORDS;
    uint x[WORDS], acc[WORDS], one[WORDS] = {1};
    for (int i = 0; i < WORDS; i++)
        acc[i] = x[i] = base[at + i];
    for (int bit = 30 - (int)clz(exponent); bit >= 0; bit--) {
        mont_mul(acc, acc, acc);
        if ((exponent >> bit) & 1)
            mont_mul(acc, acc, x);
    }
    mont_mul(acc, acc, one);
    for (int i = 0; i < WORDS; i++)
        out[at + i] = acc[i];
}
