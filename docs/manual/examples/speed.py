"""Measures kernels that do the same in two ways, and checks that they do the same.

`--quick` takes small sizes: it checks, and its times mean nothing."""
import pathlib
import sys
import time

import numpy as np
import pyopencl as cl

QUICK = "--quick" in sys.argv
SIDE = 128 if QUICK else 1024
COUNT = SIDE * SIDE * (1 if QUICK else 4)
REPEATS = 2 if QUICK else 60

device = next(d for p in cl.get_platforms() for d in p.get_devices() if d.type & cl.device_type.CPU)
context = cl.Context([device])
queue = cl.CommandQueue(context)
source = pathlib.Path(__file__).with_name("speed.cl").read_text()


def built(options=""):
    return cl.Program(context, source).build(f"-cl-std=CL3.0 {options}".split())


def kernel(program, name):
    return cl.Kernel(program, name)


def buffer(array):
    return cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=array)


def compare(name, first, second):
    """Runs two launches in turns and takes the best of each: what else the machine does is no matter of the kernels.
    A launch is a kernel, its size, its work-group and its arguments."""
    best = [float("inf"), float("inf")]
    for _ in range(REPEATS):
        for which, (function, size, group, *arguments) in enumerate((first, second)):
            function.set_args(*arguments)
            start = time.perf_counter()
            cl.enqueue_nd_range_kernel(queue, function, size, group)
            queue.finish()
            best[which] = min(best[which], time.perf_counter() - start)
    print(f"{name:<44} {best[0] * 1e3:8.3f} ms {best[1] * 1e3:8.3f} ms {best[0] / best[1]:6.2f}")


def result(target, like):
    array = np.empty_like(like)
    cl.enqueue_copy(queue, array, target)
    return array


def access(program):
    matrix = np.random.default_rng(1).random((SIDE, SIDE), dtype=np.float32)
    sums = np.zeros(SIDE, np.float32)
    one, two, side = buffer(sums), buffer(sums), np.uint32(SIDE)
    compare(
        "rows: each its own / side by side",
        (kernel(program, "rows_apart"), (SIDE,), None, buffer(matrix), one, side),
        (kernel(program, "rows_side_by_side"), (SIDE,), None, buffer(matrix.T.copy()), two, side),
    )
    assert np.array_equal(result(one, sums), result(two, sums))


def shapes(program):
    x = np.random.default_rng(2).random(COUNT, dtype=np.float32)
    one, two, add = buffer(np.zeros_like(x)), buffer(np.zeros_like(x)), kernel(program, "add")
    free = (add, (COUNT,), None, buffer(x), buffer(x), one, np.uint32(COUNT))
    for group in (1, 16, 256):
        compare(f"work-groups of {group} / of the driver's choice", (add, (COUNT,), (group,), *free[3:]), free)
    compare("guard: with / without", (kernel(program, "add_guarded"), (COUNT,), None, *free[3:5], two, free[6]), free)
    assert np.array_equal(result(one, x), x + x) and np.array_equal(result(two, x), x + x)


def vectors(program):
    x = np.random.default_rng(3).random(COUNT, dtype=np.float32)
    source, one, two, three = buffer(x), *(buffer(np.zeros_like(x)) for _ in range(3))
    single = (kernel(program, "polynomial"), (COUNT,), None, source, one)
    compare("polynomial: float4 / float", (kernel(program, "polynomial4"), (COUNT // 4,), None, source, two), single)
    alone = kernel(built("-oxicl-lanes=1"), "polynomial")
    compare("polynomial: -oxicl-lanes=1 / as built", (alone, (COUNT,), None, source, three), single)
    assert np.array_equal(result(one, x), result(two, x)) and np.array_equal(result(one, x), result(three, x))


def local_memory(program):
    rng = np.random.default_rng(4)
    # Whole numbers, so that no order of additions rounds.
    a, b = (rng.integers(0, 8, (SIDE, SIDE)).astype(np.float32) for _ in range(2))
    one, two, side = buffer(np.zeros_like(a)), buffer(np.zeros_like(a)), np.uint32(SIDE)
    compare(
        "matrix product: tiles in local memory / plain",
        (kernel(program, "product_tiled"), (SIDE, SIDE), (16, 16), buffer(a), buffer(b), one, side),
        (kernel(program, "product"), (SIDE, SIDE), None, buffer(a), buffer(b), two, side),
    )
    assert np.array_equal(result(one, a), a @ b) and np.array_equal(result(two, a), a @ b)


def functions(program):
    x = np.random.default_rng(5).random(COUNT // 4, dtype=np.float32)
    steps = np.arange(32) / 32
    exponentials = sum(np.exp(x.astype(np.float64) * step) for step in steps)
    powers = sum(x.astype(np.float64) ** step for step in steps)
    source, one, two = buffer(x), buffer(np.zeros_like(x)), buffer(np.zeros_like(x))
    relaxed = built("-cl-fast-relaxed-math")
    pairs = (
        ("exp / native_exp", "exponential", "exponential_native", program, exponentials),
        ("exp: as built / -cl-fast-relaxed-math", "exponential", "exponential", relaxed, exponentials),
        ("pow: as built / -cl-fast-relaxed-math", "power", "power", relaxed, powers),
        ("exp: double / float", "exponential_double", "exponential", program, exponentials),
    )
    for name, strict, fast, where, expected in pairs:
        launch = (x.shape, None, source)
        compare(name, (kernel(program, strict), *launch, one), (kernel(where, fast), *launch, two))
        assert np.allclose(result(one, x), expected, rtol=1e-5) and np.allclose(result(two, x), expected, rtol=1e-3)


def counters(program):
    x = np.random.default_rng(6).random(COUNT, dtype=np.float32)
    zero = np.zeros(1, np.uint32)
    one, two = buffer(zero), buffer(zero)
    compare(
        "counter: each work-item / each work-group",
        (kernel(program, "count_each"), (COUNT,), (256,), buffer(x), one),
        (kernel(program, "count_groups"), (COUNT,), (256,), buffer(x), two),
    )
    assert result(one, zero)[0] == result(two, zero)[0] == REPEATS * int((x < 0.5).sum())


print(f"{device.name}, {device.max_compute_units} compute units, the best time of each way, and the first by the second")
for part in (access, shapes, vectors, local_memory, functions, counters):
    part(built())
