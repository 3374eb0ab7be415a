// Keeps its work-items busy for as many turns as it is told.
kernel void spin(global uint *out, ulong turns)
{
    uint x = (uint)get_global_id(0) + 1;
    for (ulong i = 0; i < turns; ++i) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    out[get_global_id(0)] = x;
}
