// Field arithmetic of Curve25519 with four 64-bit limbs and mul_hi: a number of Montgomery ladder steps on a point per
// work-item with a branch-free swap.
//! kernel ladder
//! global 2048
//! arg points: buffer uint 16384 random 0 4294967295
//! arg scalars: buffer uint 2048 random 0 4294967295
//! arg out: buffer ulong 16384 zero
//! arg steps: int 24

typedef struct { ulong v[4]; } fe;

static fe reduce(const ulong *t)
{
    fe r;
    ulong carry = 0;
    for (int i = 0; i < 4; i++) {
        ulong lo = t[i + 4] * 38, hi = mul_hi(t[i + 4], 38UL);
        lo += carry;
        hi += lo < carry;
        r.v[i] = t[i] + lo;
        carry = hi + (r.v[i] < lo);
    }
    carry *= 38;
    for (int i = 0; i < 4; i++) {
        r.v[i] += carry;
        carry = r.v[i] < carry;
    }
    r.v[0] += 38 * carry;
    return r;
}

static fe mul(fe a, fe b)
{
    ulong t[8] = {0};
    for (int i = 0; i < 4; i++) {
        ulong carry = 0;
        for (int j = 0; j < 4; j++) {
            ulong lo = a.v[i] * b.v[j], hi = mul_hi(a.v[i], b.v[j]);
            lo += carry;
            hi += lo < carry;
            t[i + j] += lo;
            carry = hi + (t[i + j] < lo);
        }
        t[i + 4] = carry;
    }
    return reduce(t);
}

static fe add(fe a, fe b)
{
    ulong t[8] = {0}, c = 0;
    for (int i = 0; i < 4; i++) {
        ulong s = a.v[i] + c;
        c = s < c;
        t[i] = s + b.v[i];
        c += t[i] < s;
    }
    t[4] = c;
    return reduce(t);
}

static fe sub(fe a, fe b)
{
    for (int i = 0; i < 4; i++)
        b.v[i] = ~b.v[i];
    fe k = {{0xffffffffffffffb5UL, ~0UL, ~0UL, ~0UL}};
    return add(add(a, b), k);
}

static void cswap(fe *a, fe *b, ulong bit)
{
    for (int i = 0; i < 4; i++) {
        ulong x = (0UL - bit) & (a->v[i] ^ b->v[i]);
        a->v[i] ^= x;
        b->v[i] ^= x;
    }
}

kernel void ladder(global const uint *points, global const uint *scalars, global ulong *out, int steps)
{
    const size_t gid = get_global_id(0);
    fe x1, x2 = {{1, 0, 0, 0}}, z2 = {{0, 0, 0, 0}}, x3, z3 = {{1, 0, 0, 0}}, a24 = {{121665, 0, 0, 0}};
    for (int i = 0; i < 4; i++)
        x1.v[i] = as_ulong(vload2(gid * 4 + i, points)) & (i == 3 ? 0x7fffffffffffffffUL : ~0UL);
    x3 = x1;
    for (int s = steps - 1; s >= 0; s--) {
        ulong bit = (scalars[gid] >> s) & 1;
        cswap(&x2, &x3, bit);
        cswap(&z2, &z3, bit);
        fe a = add(x2, z2), b = sub(x2, z2), c = add(x3, z3), d = sub(x3, z3);
        fe aa = mul(a, a), bb = mul(b, b), e = sub(aa, bb), da = mul(d, a), cb = mul(c, b);
        fe p = add(da, cb), q = sub(da, cb);
        x3 = mul(p, p);
        z3 = mul(x1, mul(q, q));
        x2 = mul(aa, bb);
        z2 = mul(e, add(aa, mul(a24, e)));
        cswap(&x2, &x3, bit);
        cswap(&z2, &z3, bit);
    }
    vstore4((ulong4)(x2.v[0], x2.v[1], x2.v[2], x2.v[3]), gid * 2, out);
    vstore4((ulong4)(z2.v[0], z2.v[1], z2.v[2], z2.v[3]), gid * 2 + 1, out);
}
