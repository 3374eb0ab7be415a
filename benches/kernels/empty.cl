// Nothing: what a launch itself costs.
kernel void empty(void)
{
}
