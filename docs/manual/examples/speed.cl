// Pairs of kernels that do the same in two ways; speed.py measures them.

// Sums of the rows of a square matrix: each work-item walks a row of its own.
kernel void rows_apart(global const float *matrix, global float *sums, uint side)
{
    size_t row = get_global_id(0);
    float sum = 0.0f;
    for (uint k = 0; k < side; k++)
        sum += matrix[row * side + k];
    sums[row] = sum;
}

// The same of the transposed matrix: neighbours read neighbours.
kernel void rows_side_by_side(global const float *transposed, global float *sums, uint side)
{
    size_t row = get_global_id(0);
    float sum = 0.0f;
    for (uint k = 0; k < side; k++)
        sum += transposed[k * side + row];
    sums[row] = sum;
}

kernel void add(global const float *a, global const float *b, global float *sum, uint count)
{
    size_t i = get_global_id(0);
    sum[i] = a[i] + b[i];
}

kernel void add_guarded(global const float *a, global const float *b, global float *sum, uint count)
{
    size_t i = get_global_id(0);
    if (i < count)
        sum[i] = a[i] + b[i];
}

// A polynomial of every element, one at a time and four at a time.
kernel void polynomial(global const float *x, global float *y)
{
    size_t i = get_global_id(0);
    float v = x[i], r = 0.5f;
    for (int k = 0; k < 64; k++)
        r = fma(r, v, 0.25f);
    y[i] = r;
}

kernel void polynomial4(global const float4 *x, global float4 *y)
{
    size_t i = get_global_id(0);
    float4 v = x[i], r = 0.5f;
    for (int k = 0; k < 64; k++)
        r = fma(r, v, (float4)(0.25f));
    y[i] = r;
}

// A matrix product, plain and with tiles in local memory.
kernel void product(global const float *a, global const float *b, global float *c, uint side)
{
    size_t x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;
    for (uint k = 0; k < side; k++)
        sum += a[y * side + k] * b[k * side + x];
    c[y * side + x] = sum;
}

#define TILE 16
kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void product_tiled(global const float *a, global const float *b, global float *c, uint side)
{
    local float left[TILE][TILE], right[TILE][TILE];
    size_t x = get_global_id(0), y = get_global_id(1), i = get_local_id(0), j = get_local_id(1);
    float sum = 0.0f;
    for (uint t = 0; t < side; t += TILE) {
        left[j][i] = a[y * side + t + i];
        right[j][i] = b[(t + j) * side + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < TILE; k++)
            sum += left[j][k] * right[k][i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * side + x] = sum;
}

// Functions, called so often that their own time counts and not that of memory.
kernel void exponential(global const float *x, global float *y)
{
    size_t i = get_global_id(0);
    float v = x[i], sum = 0.0f;
    for (int k = 0; k < 32; k++)
        sum += exp(v * k * 0.03125f);
    y[i] = sum;
}

kernel void exponential_native(global const float *x, global float *y)
{
    size_t i = get_global_id(0);
    float v = x[i], sum = 0.0f;
    for (int k = 0; k < 32; k++)
        sum += native_exp(v * k * 0.03125f);
    y[i] = sum;
}

kernel void power(global const float *x, global float *y)
{
    size_t i = get_global_id(0);
    float v = x[i], sum = 0.0f;
    for (int k = 0; k < 32; k++)
        sum += pow(v, k * 0.03125f);
    y[i] = sum;
}

kernel void exponential_double(global const float *x, global float *y)
{
    size_t i = get_global_id(0);
    double v = x[i], sum = 0.0;
    for (int k = 0; k < 32; k++)
        sum += exp(v * k * 0.03125);
    y[i] = (float)sum;
}

// How many elements lie below a half: one counter for all, and one addition a work-group.
kernel void count_each(global const float *x, global uint *count)
{
    if (x[get_global_id(0)] < 0.5f)
        atomic_fetch_add_explicit((volatile global atomic_uint *)count, 1u, memory_order_relaxed, memory_scope_device);
}

kernel void count_groups(global const float *x, global uint *count)
{
    uint mine = x[get_global_id(0)] < 0.5f;
    uint all = work_group_reduce_add(mine);
    if (get_local_id(0) == 0)
        atomic_fetch_add_explicit((volatile global atomic_uint *)count, all, memory_order_relaxed, memory_scope_device);
}
