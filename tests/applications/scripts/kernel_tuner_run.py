"""kernel_tuner tries variants of a kernel; each result is compared with NumPy's."""

import kernel_tuner
import numpy as np

from lines import attempt

ADD = """
__kernel void add(__global float *c, __global const float *a, __global const float *b, int n) {
    int i = get_group_id(0) * block_size_x * per_thread + get_local_id(0);
    for (int j = 0; j < per_thread; j++, i += block_size_x) {
        if (i < n) { c[i] = a[i] + b[i]; }
    }
}
"""
TRANSPOSE = """
__kernel void transpose(__global float *out, __global const float *in, int n) {
    __local float tile[block_size_x][block_size_x + padding];
    int x = get_group_id(0) * block_size_x, y = get_group_id(1) * block_size_x;
    for (int j = get_local_id(1); j < block_size_x; j += block_size_y) {
        tile[j][get_local_id(0)] = in[(y + j) * n + x + get_local_id(0)];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = get_local_id(1); j < block_size_x; j += block_size_y) {
        out[(x + j) * n + y + get_local_id(0)] = tile[get_local_id(0)][j];
    }
}
"""
REDUCE = """
__kernel void reduce(__global float *sums, __global const float *values, int n) {
    __local float parts[block_size_x];
    float sum = 0;
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) { sum += values[i]; }
    parts[get_local_id(0)] = sum;
    for (int step = block_size_x / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (get_local_id(0) < step) { parts[get_local_id(0)] += parts[get_local_id(0) + step]; }
    }
    if (get_local_id(0) == 0) { sums[get_group_id(0)] = parts[0]; }
}
"""


def tune(name, source, size, arguments, parameters, answer, expected, **options):
    found, _ = kernel_tuner.tune_kernel(
        name, source, size, arguments, parameters, answer=answer, lang="OpenCL", iterations=3, quiet=True, verbose=False, **options)
    if len(found) != expected:
        raise ValueError(f"{len(found)} of {expected} variants gave the right result")


def add():
    n = np.int32(100_003)
    a, b = np.random.default_rng(6).random((2, n), dtype=np.float32)
    parameters = {"block_size_x": [32, 64, 128, 256], "per_thread": [1, 2, 4]}
    tune("add", ADD, int(n), [np.zeros_like(a), a, b, n], parameters, [a + b, None, None, None], 12,
         grid_div_x=["block_size_x", "per_thread"])


def transpose():
    n = np.int32(256)
    values = np.random.default_rng(7).random((n, n), dtype=np.float32)
    parameters = {"block_size_x": [16, 32], "block_size_y": [4, 8, 16], "padding": [0, 1]}
    tune("transpose", TRANSPOSE, (int(n), int(n)), [np.zeros_like(values), values, n], parameters,
         [values.T.copy(), None, None], 12, grid_div_x=["block_size_x"], grid_div_y=["block_size_x"])


def reduce():
    n, groups = np.int32(1 << 16), 8
    values = np.ones(n, np.float32)
    parameters = {"block_size_x": [64, 128, 256], "groups": [groups]}
    tune("reduce", REDUCE, "groups", [np.zeros(groups, np.float32), values, n], parameters,
         [np.full(groups, n / groups, np.float32), None, None], 3, grid_div_x=[])


for function in [add, transpose, reduce]:
    attempt(function.__name__, function)
