// Decimals of 128 bits as two longs: multiplies prices and rates with full width, divides by a power of ten word by
// word to round, and adds with carry.
//! kernel amounts
//! global 65536
//! arg price: buffer uint 131072 random 0 4294967295
//! arg rate: buffer uint 65536 random 1 4294967295
//! arg out: buffer ulong 131072 zero
//! arg scale: uint 10000

typedef struct {
    ulong lo;
    long hi;
} dec128;

static dec128 add(dec128 a, dec128 b)
{
    dec128 r;
    r.lo = a.lo + b.lo;
    r.hi = a.hi + b.hi + (r.lo < a.lo);
    return r;
}

static dec128 negate(dec128 a)
{
    dec128 r = {~a.lo + 1, ~a.hi + (a.lo == 0)};
    return r;
}

static dec128 multiply(long a, long b)
{
    dec128 r = {(ulong)a * (ulong)b, mul_hi(a, b)};
    return r;
}

static dec128 divide_round(dec128 a, uint by)
{
    const bool minus = a.hi < 0;
    if (minus)
        a = negate(a);
    uint w[4] = {(uint)a.lo, (uint)(a.lo >> 32), (uint)a.hi, (uint)(a.hi >> 32)};
    ulong rest = 0;
    for (int i = 3; i >= 0; i--) {
        rest = (rest << 32) | w[i];
        w[i] = rest / by;
        rest %= by;
    }
    dec128 q = {((ulong)w[1] << 32) | w[0], ((long)w[3] << 32) | w[2]};
    if (rest * 2 >= by)
        q = add(q, (dec128){1, 0});
    return minus ? negate(q) : q;
}

kernel void amounts(global const uint2 *price, global const uint *rate, global ulong2 *out, uint scale)
{
    const size_t id = get_global_id(0);
    const long p = as_long(price[id]);
    dec128 total = {0, 0};
    for (int year = 0; year < 6; year++) {
        dec128 x = multiply(p >> year, (long)rate[id] * 1000003);
        total = add(total, divide_round(x, scale));
    }
    total = add(total, negate(multiply(rate[id], p)));
    out[id] = (ulong2)(total.lo, total.hi);
}
