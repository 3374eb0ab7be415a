kernel void sum_rows(global const float *matrix, global float *sums, uint side)
{
    size_t row = get_global_id(0);
    float sum = 0.0f;
    for (uint k = 0; k < side; k++)
        sum += matrix[row * side + k];
    sums[row] = sum;
}

kernel void collatz(global const uint *start, global uint *steps)
{
    size_t i = get_global_id(0);
    uint n = start[i], count = 0;
    while (n != 1) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        count++;
    }
    steps[i] = count;
}
