// Adds a number to the item's number.
kernel void plain(global uint *out, uint number)
{
    size_t i = get_global_id(0);
    out[i] = (uint)i + number;
}
