// Four generators side by side: Philox4x32-10, xorshift128, PCG32 and a 64-bit splitmix; each work-item uses them in
// turn to estimate how many points fall in a circle and keeps a checksum.
//! kernel draw
//! global 8192
//! local 64
//! arg inside: buffer uint 8192 zero
//! arg check: buffer ulong 8192 zero
//! arg rounds: int 160
//! arg seed: ulong 88172645463325252

uint4 philox(uint4 c, uint2 k)
{
    for (int i = 0; i < 10; i++) {
        uint hi0 = mul_hi(0xd2511f53u, c.x), lo0 = 0xd2511f53u * c.x;
        uint hi1 = mul_hi(0xcd9e8d57u, c.z), lo1 = 0xcd9e8d57u * c.z;
        c = (uint4)(hi1 ^ c.y ^ k.x, lo1, hi0 ^ c.w ^ k.y, lo0);
        k += (uint2)(0x9e3779b9u, 0xbb67ae85u);
    }
    return c;
}

uint xorshift(uint4 *s)
{
    uint t = s->x ^ (s->x << 11);
    s->xyz = s->yzw;
    return s->w = s->w ^ (s->w >> 19) ^ t ^ (t >> 8);
}

uint pcg(ulong *state)
{
    ulong old = *state;
    *state = old * 6364136223846793005UL + 1442695040888963407UL;
    uint x = (uint)(((old >> 18) ^ old) >> 27);
    return rotate(x, (uint)(-(int)(old >> 59)) & 31);
}

ulong splitmix(ulong *s)
{
    ulong z = (*s += 0x9e3779b97f4a7c15UL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9UL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebUL;
    return z ^ (z >> 31);
}

kernel void draw(global uint *inside, global ulong *check, int rounds, ulong seed)
{
    uint id = get_global_id(0), hits = 0;
    ulong a = seed + id, b = splitmix(&a), sum = 0;
    uint4 xs = (uint4)(id + 1, as_uint2(b), 88675123);
    for (int i = 0; i < rounds; i++) {
        uint4 p = philox((uint4)(id, i, 0, 0), as_uint2(seed));
        uint2 q[4] = {p.xy, p.zw, (uint2)(xorshift(&xs), pcg(&b)), as_uint2(splitmix(&a))};
        for (int j = 0; j < 4; j++) {
            ulong x = q[j].x >> 4, y = q[j].y >> 4;
            hits += x * x + y * y < 1UL << 56;
            sum = rotate(sum, 7UL) + x * 31 + y;
        }
    }
    inside[id] = hits;
    check[id] = sum;
}
