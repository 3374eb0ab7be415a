// One step of a bitonic sort: compares and exchanges at a distance, in ascending or descending blocks.
kernel void bitonic(global uint *restrict values, uint distance, uint block)
{
    uint i = get_global_id(0);
    uint left = (i / distance) * distance * 2 + i % distance;
    uint right = left + distance;
    bool ascending = (left & block) == 0;
    uint a = values[left];
    uint b = values[right];
    if ((a > b) == ascending) {
        values[left] = b;
        values[right] = a;
    }
}
