// The same under a name that faults are brought on for.
kernel void victim(global uint *out, uint number)
{
    size_t i = get_global_id(0);
    out[i] = (uint)i + number;
}
