"""Multiplies matrices with PyOpenCL on oxicl, checks the product, and says how long the first result took."""

import time

start = time.perf_counter()

import numpy
import pyopencl

SIDE = 256
SOURCE = """
kernel void multiply(global const float *a, global const float *b, global float *c) {
    size_t column = get_global_id(0), row = get_global_id(1), side = get_global_size(0);
    float sum = 0;
    for (size_t k = 0; k < side; k++) sum += a[row * side + k] * b[k * side + column];
    c[row * side + column] = sum;
}
"""

platforms = [platform for platform in pyopencl.get_platforms() if platform.name == "oxicl"]
assert len(platforms) == 1, f"oxicl is listed {len(platforms)} times"
context = pyopencl.Context(platforms[0].get_devices())
queue = pyopencl.CommandQueue(context)
random = numpy.random.default_rng(1)
a, b = (random.random((SIDE, SIDE), dtype=numpy.float32) for _ in range(2))
c = numpy.zeros_like(a)
flags = pyopencl.mem_flags
sources = [pyopencl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=matrix) for matrix in (a, b)]
product = pyopencl.Buffer(context, flags.WRITE_ONLY, c.nbytes)
program = pyopencl.Program(context, SOURCE).build()
pyopencl.Kernel(program, "multiply")(queue, (SIDE, SIDE), None, *sources, product)
pyopencl.enqueue_copy(queue, c, product).wait()
assert numpy.allclose(c, a @ b, rtol=1e-4), "the product is wrong"
print(f"first result after {time.perf_counter() - start:.2f} s")
