// Halves numbers, denormal ones among them.
kernel void halve(global float *values)
{
    size_t i = get_global_id(0);
    values[i] = values[i] * 0.5f;
}
